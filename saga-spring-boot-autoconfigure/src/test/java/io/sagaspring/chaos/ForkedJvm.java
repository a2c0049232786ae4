package io.sagaspring.chaos;

import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.test.database.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Starts JVMs that live for a few seconds. Hundreds of them are killed, so the cost of a start matters. Each JVM reads
 * its classes from an archive. A first JVM, which ends normally, writes this archive.
 */
final class ForkedJvm {

    private static final class Prepared {
        static final ForkedJvm JVM = new ForkedJvm();
    }

    private static final long PATIENCE_SECONDS = 300;

    private final String classPath;
    private final Path archive;

    private ForkedJvm() {
        try {
            Path directory = Files.createTempDirectory("forked-jvm");
            this.classPath = inJars(directory);
            this.archive = directory.resolve("classes.jsa");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
            writeArchive(directory);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Returns the beginning of a command that runs a class. */
    static List<String> command(Class<?> main) {
        ForkedJvm jvm = Prepared.JVM;
        return jvm.command("-XX:SharedArchiveFile=" + jvm.archive, main);
    }

    private List<String> command(String option, Class<?> main) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // The JVM does not live long enough to profit from the second compiler.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-Xshare:auto", option));
        command.addAll(List.of(NodeLogging.OPTIONS));
        Stream.of("user.timezone", "user.language", "user.country", "spring.threads.virtual.enabled")
                .filter(name -> System.getProperty(name) != null)
                .forEach(name -> command.add("-D%s=%s".formatted(name, System.getProperty(name))));
        command.addAll(List.of("-classpath", classPath, main.getName()));
        return command;
    }

    /** Packs directories into jars, because a JVM archives no classes if its class path has directories. */
    private static String inJars(Path directory) throws IOException {
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path)) {
                Path jar = directory.resolve("classes-%d.jar".formatted(jars.size()));
                pack(path, jar);
                jars.add(jar.toString());
            } else if (Files.exists(path)) {
                jars.add(entry);
            }
        }
        return String.join(File.pathSeparator, jars);
    }

    private static void pack(Path classes, Path jar) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(classes)) {
            files = all.filter(file -> !file.equals(classes)).toList();
        }
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream packed = new JarOutputStream(out)) {
            packed.setLevel(0);
            for (Path file : files) {
                String name = classes.relativize(file).toString().replace(File.separatorChar, '/');
                // The scan for entities lists directories, so the jar needs an entry for each directory.
                packed.putNextEntry(new JarEntry(Files.isDirectory(file) ? name + "/" : name));
                if (!Files.isDirectory(file)) {
                    Files.copy(file, packed);
                }
                packed.closeEntry();
            }
        }
    }

    /** Writes the archive. Without it, the other JVMs start more slowly. */
    private void writeArchive(Path directory) throws IOException {
        try (TestDatabase database = Depot.database();
                TestDatabase ofPosts = TestDatabase.create(MigratedSchema.class)) {
            List<String> command = command("-XX:ArchiveClassesAtExit=" + archive, Rehearsal.class);
            command.addAll(Rehearsal.arguments(database, ofPosts, directory.resolve("journal")));
            File log = directory.resolve("rehearsal.log").toFile();
            Process rehearsal = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log)
                    .start();
            boolean ended = rehearsal.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                rehearsal.toHandle().destroyForcibly();
            }
            if (!ended || rehearsal.exitValue() != 0) {
                throw new IllegalStateException(
                        "The rehearsal failed. Its log:%n%s".formatted(Files.readString(log.toPath())));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (IOException leftBehind) {
            // Ignore the failure, because the system removes temporary directories eventually.
        }
    }
}
