package io.sagaspring.chaos;

import ch.qos.logback.classic.BasicConfigurator;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;

/** Sets up the log of a {@link ForkedJvm} without reading XML, which would take a fifth of a node's start. Other JVMs read XML. */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_TOP_PRIORITY)
public final class NodeLogging extends ContextAwareBase implements Configurator {

    /** The options of a JVM that uses this class. */
    static final String[] OPTIONS = {
        "-D" + NodeLogging.class.getName() + "=true",
        // Otherwise Spring Boot would read the XML.
        "-Dorg.springframework.boot.logging.LoggingSystem=none"
    };

    @Override
    public ExecutionStatus configure(LoggerContext logs) {
        if (!Boolean.getBoolean(NodeLogging.class.getName())) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        BasicConfigurator console = new BasicConfigurator();
        console.setContext(logs);
        ExecutionStatus unused = console.configure(logs);
        logs.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
        logs.getLogger("io.sagaspring").setLevel(Level.INFO);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
