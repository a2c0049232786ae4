package io.sagaspring.saga;

import io.sagaspring.payload.JsonPayloadCodec;
import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.RunCatalog;
import io.sagaspring.run.RunListener;
import io.sagaspring.run.RunStore;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The sagas of an application as the code of runs. All that is wrong with them is told when it is made.
 *
 * @since 0.1.0
 */
public final class SagaCode implements RunCatalog.Source, AutoCloseable {

    private final SagaCatalog catalog;
    private final SagaTools tools;

    /**
     * What sagas are made of.
     *
     * @param sagas the beans
     * @param tasks finds the bean of a step by its class, or by an interface of it; empty if there is none, or more than one
     * @param callbackKeys of the tokens with which somebody calls back: the first makes them, each is accepted
     * @param store where executions are kept
     * @param listeners are told what happens
     * @param surroundings of the bodies of steps, the outermost first
     * @param codec stores the inputs of executions
     */
    public record Parts(
            Collection<? extends Saga<?>> sagas,
            Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
            List<String> callbackKeys,
            RunStore store,
            Collection<SagaListener> listeners,
            List<StepInterceptor> surroundings,
            PayloadCodec codec) {

        /**
         * Parts whose inputs are stored as JSON.
         *
         * @param sagas the beans
         * @param tasks finds the bean of a step by its class, or by an interface of it; empty if there is none, or more than one
         * @param callbackKeys of the tokens with which somebody calls back: the first makes them, each is accepted
         * @param store where executions are kept
         * @param listeners are told what happens
         * @param surroundings of the bodies of steps, the outermost first
         */
        public Parts(
                Collection<? extends Saga<?>> sagas,
                Function<Class<?>, Optional<SagaTask<?, ?>>> tasks,
                List<String> callbackKeys,
                RunStore store,
                Collection<SagaListener> listeners,
                List<StepInterceptor> surroundings) {
            this(sagas, tasks, callbackKeys, store, listeners, surroundings, new JsonPayloadCodec(Integer.MAX_VALUE));
        }

        /** Without the secrets. */
        @Override
        public String toString() {
            return "Parts[%d sagas, %d callback keys]".formatted(sagas.size(), callbackKeys.size());
        }
    }

    /**
     * Reads what the sagas say that they are.
     *
     * @param parts what they are made of
     * @throws io.sagaspring.startup.StartupFaultException if anything is wrong with them
     */
    public SagaCode(Parts parts) {
        this(parts, new Timeouts());
    }

    SagaCode(Parts parts, Timeouts timeouts) {
        Json json = new Json();
        this.catalog = new SagaCatalog(
                parts.sagas(), parts.tasks()::apply, new DefinitionRules(parts.codec(), parts.callbackKeys()));
        this.tools = new SagaTools(
                json,
                timeouts,
                new CallbackTokens(parts.callbackKeys()),
                parts.store(),
                new SagaNotifier(parts.listeners(), catalog.plans()),
                StepInterceptor.all(parts.surroundings()));
    }

    @Override
    public List<RunCatalog.Code> code() {
        return catalog.code(tools);
    }

    /**
     * Tells the listeners of sagas what becomes of their executions.
     *
     * @return to be told what becomes of runs
     */
    public RunListener listener() {
        return tools.watch();
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
