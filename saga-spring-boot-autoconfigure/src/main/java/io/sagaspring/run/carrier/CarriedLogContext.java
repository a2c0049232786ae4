package io.sagaspring.run.carrier;

import io.sagaspring.run.RunCarrier;
import java.util.Map;
import org.slf4j.MDC;

/** Carries the log context (MDC) from the code that starts a run to the thread that executes the run. */
final class CarriedLogContext implements RunCarrier {

    private static final String PREFIX = "mdc:";

    @Override
    public void capture(Map<String, String> carried) {
        Map<String, String> context = MDC.getCopyOfContextMap();
        if (context != null) {
            context.forEach((key, value) -> {
                if (value != null) {
                    carried.put(PREFIX + key, value);
                }
            });
        }
    }

    @Override
    public void restore(Map<String, String> carried, String run, Runnable work) {
        Map<String, String> before = MDC.getCopyOfContextMap();
        carried.forEach((key, value) -> {
            if (key.startsWith(PREFIX)) {
                MDC.put(key.substring(PREFIX.length()), value);
            }
        });
        try {
            work.run();
        } finally {
            if (before == null) {
                MDC.clear();
            } else {
                MDC.setContextMap(before);
            }
        }
    }
}
