package io.sagaspring.sample.seed;

import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.Step;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;

/** Calls a bank that never answers, in a step that must not be repeated. So each run of this kind is in doubt. */
@Component
@ConditionalOnBooleanProperty("sample.seed")
class WireMoney implements DurableRun<String, @Nullable Void> {

    @Override
    public @Nullable Void run(RunContext run, String account) {
        run.step(
                Step.of("wire").notRepeatable().timeout(Duration.ofMillis(300)),
                () -> Thread.sleep(Duration.ofMinutes(1).toMillis()));
        return null;
    }
}
