package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.tenant.Tenants;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class CarriedContextTests {

    private static final class LogContext implements RunCarrier {
        @Override
        public void capture(Map<String, String> carried) {
            carried.putAll(MDC.getCopyOfContextMap());
        }

        @Override
        public void restore(Map<String, String> carried, String run, Runnable executing) {
            carried.forEach(MDC::put);
            try {
                executing.run();
            } finally {
                MDC.clear();
            }
        }
    }

    private static PickedUpRun pickedUp(StoredValue carried) {
        return new PickedUpRun(
                new RunLease(RunId.next(), new FencingToken(1)),
                "tale",
                null,
                carried,
                carried,
                List.of(),
                ControlState.OF_A_NEW_RUN,
                Instant.EPOCH,
                1,
                0,
                false,
                false);
    }

    @Test
    void aRunStartedByAnotherRunIsLoggedUnderItsOwnId() {
        Payloads payloads = new Payloads(new JsonPayloadCodec(1_000));
        CarriedContext carrying = new CarriedContext(payloads, List.of(new LogContext()), Tenants.none());
        List<StoredValue> captured = new ArrayList<>();
        carrying.with(pickedUp(payloads.write(Map.of())), () -> captured.add(carrying.captured(null)));
        PickedUpRun child = pickedUp(captured.get(0));
        List<String> seen = new ArrayList<>();

        carrying.with(child, () -> seen.add(MDC.get("saga.run")));

        assertThat(seen).containsExactly(child.runLease().id().toString());
    }
}
