package io.sagaspring.test.saga;

import io.sagaspring.payload.PayloadCodec;
import io.sagaspring.run.DurableRun;
import io.sagaspring.run.RunCatalog;
import io.sagaspring.run.RunContext;
import io.sagaspring.run.StepDefaults;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.ResolvableType;

/** The code of the runs of a test. Their steps are called through {@link StepCalls}. */
final class TestedRuns {

    private TestedRuns() {}

    static List<RunCatalog.Code> code(List<DurableRun<?, ?>> beans, PayloadCodec codec, StepCalls calls) {
        // This catalog is created only because its constructor reports the faults of the beans, as in production.
        Object unused = new RunCatalog(beans, List.of(), codec);
        return beans.stream().map(bean -> code(bean, calls)).toList();
    }

    private static RunCatalog.Code code(DurableRun<?, ?> bean, StepCalls calls) {
        Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
        ResolvableType run = ResolvableType.forClass(type).as(DurableRun.class);
        return new RunCatalog.Code(
                bean.name(),
                type,
                new Observed(bean, calls),
                run.getGeneric(0).getType(),
                run.getGeneric(1).getType(),
                bean.defaults(),
                null,
                unused -> Map.of(),
                null);
    }

    private static final class Observed implements DurableRun<@Nullable Object, @Nullable Object> {

        private final DurableRun<@Nullable Object, @Nullable Object> bean;
        private final StepCalls calls;

        @SuppressWarnings("unchecked") // The input has the type that the bean declares.
        Observed(DurableRun<?, ?> bean, StepCalls calls) {
            this.bean = (DurableRun<@Nullable Object, @Nullable Object>) bean;
            this.calls = calls;
        }

        @Override
        public @Nullable Object run(RunContext run, @Nullable Object input) throws Exception {
            return bean.run(new ObservedRunContext(run, calls), input);
        }

        @Override
        public StepDefaults defaults() {
            return bean.defaults();
        }

        @Override
        public String name() {
            return bean.name();
        }
    }
}
