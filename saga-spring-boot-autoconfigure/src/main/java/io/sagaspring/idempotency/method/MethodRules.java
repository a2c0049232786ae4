package io.sagaspring.idempotency.method;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.method.Arguments;
import io.sagaspring.method.MethodReading;
import java.util.List;
import org.springframework.core.ResolvableType;

/** Checks a method that is executed once and whose reply is stored and read back. */
final class MethodRules {

    private final MethodReading reading;
    private final Idempotent annotation;
    private final IdempotentPostProcessor.Application application;

    MethodRules(MethodReading reading, Idempotent annotation, IdempotentPostProcessor.Application application) {
        this.reading = reading;
        this.annotation = annotation;
        this.application = application;
    }

    void check() {
        checkAttributes();
        reading.requireProxy();
        checkReply();
        checkNames();
        checkArguments();
        if (annotation.sameTransaction()) {
            DeclaredTransaction.faults(reading.method(), reading.type()).forEach(reading::fault);
        }
    }

    private void checkAttributes() {
        if (application.handlers() == IdempotentPostProcessor.Application.Handlers.UNSUPPORTED
                && HandlerMethods.isHandler(reading.method(), reading.type())) {
            reading.fault(
                    "handles requests in a reactive application, where the header Idempotency-Key is not read and handlers must not block. Annotate the service method that it calls.");
        } else if (annotation.requestId().isEmpty()) {
            reading.fault("has no requestId. Add an expression for the request id, such as \"#requestId\".");
        }
        if (annotation.changesAccount() && annotation.fingerprint().isEmpty()) {
            reading.fault(
                    "has changesAccount = true, so a repeated call may have another account. Set fingerprint to the content that two equal requests share.");
        }
        if (annotation.sameTransaction() && !annotation.patience().isEmpty()) {
            reading.fault(
                    "has a patience but is sameTransaction, where a duplicate waits for the transaction for up to saga.idempotency.transaction-patience. Remove the patience.");
        }
    }

    private void checkReply() {
        if (!reading.refuseAsync("the key would be completed")
                && !reading.refuseAsyncResult("there would be no reply to store")) {
            ReplyReadability.fault(ResolvableType.forType(reading.returned()), application::hasOwnCodec)
                    .ifPresent(reading::fault);
        }
    }

    private void checkNames() {
        reading.requireClearNames();
        if (!annotation.unless().isEmpty() && reading.variables().contains("result")) {
            reading.fault(
                    "has a parameter 'result', but in its unless expression, #result is the returned value. Rename the parameter.");
        }
    }

    private void checkArguments() {
        if (!annotation.fingerprint().isEmpty()) {
            return;
        }
        List<Arguments.Parameter> parameters = reading.parameters();
        for (int each = 0; each < parameters.size(); each++) {
            Comparability.fault(
                            parameters.get(each).nameOrNumber(each),
                            parameters.get(each).type())
                    .map("takes %s. Set fingerprint to the content that two equal requests share."::formatted)
                    .ifPresent(reading::fault);
        }
    }
}
