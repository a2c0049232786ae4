package io.sagaspring.saga;

import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.RunCatalog;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.StepDefaults;
import io.sagaspring.run.Timeouts;
import io.sagaspring.run.VisibleRuns;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The sagas of an application, in the form of durable runs. If definitions have faults, the constructor throws an
 * exception that lists all of them.
 *
 * @since 0.1.0
 */
public final class SagaCode implements RunCatalog.Source, AutoCloseable {

    private final SagaCatalog catalog;
    private final SagaTools tools;

    /**
     * The components from which the sagas are built.
     *
     * @param sagas the saga beans
     * @param tasks the function that finds the bean of a task by its class or by an interface; it returns empty if
     *     there is none, or more than one
     * @param callbackKeys the secrets of callback tokens: the first one signs new tokens, and all of them are accepted
     * @param runs the executions that the caller may see
     * @param listeners the listeners for events
     * @param interceptors the interceptors around the code of steps, outermost first
     * @param codec the codec that stores the inputs of executions
     */
    public record Parts(
            Collection<? extends Saga<?>> sagas,
            Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
            List<String> callbackKeys,
            VisibleRuns runs,
            Collection<SagaListener> listeners,
            List<StepInterceptor> interceptors,
            PayloadCodec codec) {

        /**
         * Creates components that store inputs as JSON.
         *
         * @param sagas the saga beans
         * @param tasks the function that finds the bean of a task by its class or by an interface; it returns empty if
         *     there is none, or more than one
         * @param callbackKeys the secrets of callback tokens: the first one signs new tokens, and all of them are
         *     accepted
         * @param runs the executions that the caller may see
         * @param listeners the listeners for events
         * @param interceptors the interceptors around the code of steps, outermost first
         */
        public Parts(
                Collection<? extends Saga<?>> sagas,
                Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
                List<String> callbackKeys,
                VisibleRuns runs,
                Collection<SagaListener> listeners,
                List<StepInterceptor> interceptors) {
            this(sagas, tasks, callbackKeys, runs, listeners, interceptors, new JsonPayloadCodec(Integer.MAX_VALUE));
        }

        /** Returns a description without the secrets. */
        @Override
        public String toString() {
            return "Parts[%d sagas, %d callback keys]".formatted(sagas.size(), callbackKeys.size());
        }
    }

    /**
     * Reads the definitions of the sagas.
     *
     * @param parts the components
     * @throws io.sagaspring.startup.StartupFaultException if any definition or callback key is invalid
     */
    public SagaCode(Parts parts) {
        this(parts, StepDefaults.none());
    }

    /**
     * Reads the definitions of the sagas.
     *
     * @param parts the components
     * @param defaults the policy and the time-out of steps that get none from their saga
     * @throws io.sagaspring.startup.StartupFaultException if any definition or callback key is invalid
     */
    public SagaCode(Parts parts, StepDefaults defaults) {
        this(parts, defaults, new Timeouts());
    }

    SagaCode(Parts parts, Timeouts timeouts) {
        this(parts, StepDefaults.none(), timeouts);
    }

    private SagaCode(Parts parts, StepDefaults defaults, Timeouts timeouts) {
        Json json = new Json();
        this.catalog = new SagaCatalog(
                parts.sagas(), parts.tasks(), new DefinitionRules(parts.codec(), parts.callbackKeys(), defaults));
        this.tools = new SagaTools(
                json,
                timeouts,
                new CallbackTokens(parts.callbackKeys()),
                parts.runs(),
                new SagaNotifier(parts.listeners(), catalog.plans()),
                StepInterceptor.all(parts.interceptors()));
    }

    @Override
    public List<RunCatalog.Code> code() {
        return catalog.code(tools);
    }

    /**
     * Returns the listener that publishes the ends of runs as events of executions.
     *
     * @return the listener
     */
    public RunListener listener() {
        return tools.notifier();
    }

    SagaCatalog catalog() {
        return catalog;
    }

    SagaTools tools() {
        return tools;
    }

    @Override
    public void close() {
        tools.timeouts().close();
    }
}
