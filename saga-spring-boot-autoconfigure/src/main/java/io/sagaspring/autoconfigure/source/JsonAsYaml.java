package io.sagaspring.autoconfigure.source;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.AbstractResource;
import org.springframework.core.io.Resource;

/**
 * Makes a JSON file readable as YAML. JSON differs from YAML in two ways: it may be indented with tabs, and its strings
 * may escape a slash. Replacing both changes neither the content nor the line numbers.
 */
final class JsonAsYaml extends AbstractResource {

    private final Resource json;

    private JsonAsYaml(Resource json) {
        this.json = json;
    }

    static Resource in(Resource file) {
        String name = file.getFilename();
        return name != null && name.endsWith(".json") ? new JsonAsYaml(file) : file;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        byte[] content = json.getContentAsByteArray();
        ByteArrayOutputStream yaml = new ByteArrayOutputStream(content.length);
        for (int at = 0; at < content.length; at++) {
            boolean escapes = content[at] == '\\' && at + 1 < content.length;
            if (escapes && content[at + 1] != '/') {
                yaml.write(content[at++]);
                yaml.write(content[at]);
            } else if (!escapes) {
                // A JSON string cannot contain a tab, so the tab is indentation.
                yaml.write(content[at] == '\t' ? ' ' : content[at]);
            }
        }
        return new ByteArrayInputStream(yaml.toByteArray());
    }

    @Override
    public String getDescription() {
        return json.getDescription();
    }

    @Override
    public @Nullable String getFilename() {
        return json.getFilename();
    }
}
