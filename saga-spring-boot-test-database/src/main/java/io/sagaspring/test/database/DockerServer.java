package io.sagaspring.test.database;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/** A container, removed by Testcontainers when this JVM ends. */
final class DockerServer implements ServerSource {

    @Override
    public String description() {
        return "Docker";
    }

    // The container is the JVM's and outlives this method; Testcontainers stops it at the end.
    @SuppressWarnings("resource")
    @Override
    public PostgresServer start(TestSettings settings) throws Unavailable {
        DockerImageName image =
                DockerImageName.parse("postgres").withTag(settings.version().orElse(TestSettings.NEWEST));
        try {
            if (!DockerClientFactory.instance().isDockerAvailable()) {
                throw new Unavailable(this, "no Docker engine answered");
            }
            PostgreSQLContainer container = new PostgreSQLContainer(image);
            // No fsync: a test survives the death of a process, not a power cut. The commit itself stays synchronous.
            container.setCommand(
                    "postgres", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300");
            container.withEnv("POSTGRES_INITDB_ARGS", "--locale=C");
            container.start();
            return new PostgresServer(
                    "Docker image %s".formatted(image),
                    container.getJdbcUrl(),
                    container.getUsername(),
                    container.getPassword());
        } catch (RuntimeException | LinkageError failed) {
            throw new Unavailable(this, failed);
        }
    }
}
