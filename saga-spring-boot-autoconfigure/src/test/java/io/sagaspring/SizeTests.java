package io.sagaspring;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that files and constructors stay small. A type that exceeds a limit usually contains two ideas. */
class SizeTests {

    private static final Path ROOT = Path.of("..");
    private static final int LINES = 400;
    private static final int PARAMETERS = 7;

    @Test
    void noSourceFileHasMoreThan400Lines() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path file : sources()) {
            long lines;
            try (Stream<String> each = Files.lines(file)) {
                lines = each.count();
            }
            if (lines > LINES) {
                tooLong.add("%s has %s lines. Give its second idea a file of its own.".formatted(file, lines));
            }
        }

        assertThat(tooLong).isEmpty();
    }

    /** Records are exempt: their components mirror rows, views, settings and events. */
    @Test
    void noConstructorHasMoreThanSevenParameters() {
        Stream<JavaConstructor> tooLong = new ClassFileImporter()
                .importPath(Path.of("target/classes")).stream()
                        .filter(each -> !each.isRecord() && !each.isEnum())
                        .map(JavaClass::getConstructors)
                        .flatMap(Collection::stream)
                        .filter(each -> each.getRawParameterTypes().size() > PARAMETERS);

        assertThat(tooLong.map(JavaConstructor::getFullName)).isEmpty();
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            for (Path module : Stream.concat(top, docs)
                    .filter(each -> Files.isDirectory(each.resolve("src")))
                    .toList()) {
                try (Stream<Path> files = Files.walk(module.resolve("src"))) {
                    files.filter(each -> each.toString().endsWith(".java")).forEach(sources::add);
                }
            }
        }
        assertThat(sources).hasSizeGreaterThan(1000);
        return sources;
    }
}
