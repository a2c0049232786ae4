package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.method.Arguments;
import io.sagaspring.method.MethodReading;
import java.util.List;
import org.springframework.core.ResolvableType;

/** What a method must be like so that it can be carried out once, and its reply be stored and read back. */
final class MethodRules {

    private final MethodReading reading;
    private final Idempotent said;
    private final IdempotentPostProcessor.Surroundings surroundings;

    MethodRules(MethodReading reading, Idempotent said, IdempotentPostProcessor.Surroundings surroundings) {
        this.reading = reading;
        this.said = said;
        this.surroundings = surroundings;
    }

    void check() {
        checkAttributes();
        reading.requireProxy();
        checkReply();
        checkNames();
        checkThatArgumentsCanBeCompared();
        if (said.sameTransaction()) {
            DeclaredTransaction.faults(reading.method(), reading.type()).forEach(reading::fault);
        }
    }

    private void checkAttributes() {
        if (surroundings.handlers() == IdempotentPostProcessor.Surroundings.Handlers.UNSUPPORTED
                && HandlerMethods.isHandler(reading.method(), reading.type())) {
            reading.fault(
                    "handles requests in a reactive application, where the header Idempotency-Key is not read and nothing may block. Annotate the method of the service that it calls.");
        } else if (said.requestId().isEmpty()) {
            reading.fault("does not say where the request id is. Add requestId, such as \"#requestId\".");
        }
        if (said.changesAccount() && said.fingerprint().isEmpty()) {
            reading.fault(
                    "changes its account, so that a repetition may come with another one. Say with fingerprint what makes two requests the same.");
        }
        if (said.sameTransaction() && !said.patience().isEmpty()) {
            reading.fault(
                    "has a patience, and with sameTransaction a repetition waits for the transaction, up to saga.idempotency.transaction-patience. Remove it.");
        }
    }

    private void checkReply() {
        if (!reading.refuseAsync("the key would be completed")
                && !reading.refuseLater("there would be no reply to store")) {
            ReplyReadability.fault(ResolvableType.forType(reading.returned()), surroundings::hasOwnCodec)
                    .ifPresent(reading::fault);
        }
    }

    private void checkNames() {
        reading.requireClearNames();
        if (!said.unless().isEmpty() && reading.variables().contains("result")) {
            reading.fault("has a parameter 'result', and in its unless that is what the method returns. Rename it.");
        }
    }

    private void checkThatArgumentsCanBeCompared() {
        if (!said.fingerprint().isEmpty()) {
            return;
        }
        List<Arguments.Parameter> parameters = reading.parameters();
        for (int each = 0; each < parameters.size(); each++) {
            Comparability.fault(
                            parameters.get(each).nameOrNumber(each),
                            parameters.get(each).type())
                    .map("takes %s. Say with fingerprint what makes two requests the same."::formatted)
                    .ifPresent(reading::fault);
        }
    }
}
