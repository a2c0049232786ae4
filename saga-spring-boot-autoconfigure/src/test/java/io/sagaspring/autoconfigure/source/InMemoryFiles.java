package io.sagaspring.autoconfigure.source;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.ResourcePatternResolver;

/** Provides files by their names from memory, for tests that would need too many files on disk. */
final class InMemoryFiles extends DefaultResourceLoader implements ResourcePatternResolver {

    private final Map<String, String> files;

    InMemoryFiles(Map<String, String> files) {
        this.files = files;
    }

    @Override
    public Resource[] getResources(String pattern) {
        return files.entrySet().stream()
                .filter(file -> file.getKey().endsWith(pattern.substring(pattern.lastIndexOf('.'))))
                .map(file -> new InMemoryFile(file.getKey(), file.getValue()))
                .toArray(Resource[]::new);
    }

    private static final class InMemoryFile extends ByteArrayResource {

        private final String name;

        InMemoryFile(String name, String content) {
            super(content.getBytes(StandardCharsets.UTF_8), name);
            this.name = name;
        }

        @Override
        public String getFilename() {
            return name;
        }
    }
}
