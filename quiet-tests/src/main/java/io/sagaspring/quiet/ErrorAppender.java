package io.sagaspring.quiet;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Passes logged errors to the {@link LoggedErrors}, which collect them. The list of these collectors is static, because
 * Spring Boot creates a new appender whenever an application configures its logging.
 */
public final class ErrorAppender extends AppenderBase<ILoggingEvent> {

    /**
     * The loggers whose errors the collectors do not get. The test already gets these errors, as an exception at
     * start-up or in the transaction, or as a response with status 500.
     */
    private static final List<String> REPEATED = List.of(
            "org.springframework.boot.SpringApplication",
            "org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter",
            "org.springframework.jdbc.support.JdbcTransactionManager",
            "org.springframework.orm.jpa.JpaTransactionManager",
            "org.springframework.transaction.support.TransactionTemplate",
            "org.apache.catalina.core.ContainerBase.");

    private static final List<LoggedErrors> COLLECTORS = new CopyOnWriteArrayList<>();

    /** Called by Logback. */
    public ErrorAppender() {}

    static void start(LoggedErrors collector) {
        COLLECTORS.add(collector);
    }

    static void stop(LoggedErrors collector) {
        COLLECTORS.remove(collector);
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel() == Level.ERROR
                && !COLLECTORS.isEmpty()
                && REPEATED.stream().noneMatch(event.getLoggerName()::startsWith)) {
            String error = event.getLoggerName() + ": " + event.getFormattedMessage() + causes(event);
            COLLECTORS.forEach(collector -> collector.add(error));
        }
    }

    private static String causes(ILoggingEvent event) {
        StringBuilder causes = new StringBuilder();
        for (IThrowableProxy thrown = event.getThrowableProxy(); thrown != null; thrown = thrown.getCause()) {
            causes.append("\n    caused by ")
                    .append(thrown.getClassName())
                    .append(": ")
                    .append(thrown.getMessage());
        }
        return causes.toString();
    }
}
