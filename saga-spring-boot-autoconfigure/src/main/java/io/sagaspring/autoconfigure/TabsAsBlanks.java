package io.sagaspring.autoconfigure;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.AbstractResource;
import org.springframework.core.io.Resource;

/**
 * JSON may be indented with tabs, and YAML, which reads it, may not. No text in JSON holds a bare tab, so that blanks
 * change neither what the file says nor where.
 */
final class TabsAsBlanks extends AbstractResource {

    private final Resource json;

    private TabsAsBlanks(Resource json) {
        this.json = json;
    }

    static Resource in(Resource file) {
        String name = file.getFilename();
        return name != null && name.endsWith(".json") ? new TabsAsBlanks(file) : file;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        byte[] content = json.getContentAsByteArray();
        for (int at = 0; at < content.length; at++) {
            if (content[at] == '\t') {
                content[at] = ' ';
            }
        }
        return new ByteArrayInputStream(content);
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
