package io.sagaspring.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;

/** An observer of a step may throw an exception. The step still runs once, and its caller gets the correct outcome. */
class ObserversTests {

    /** The moments at which an observer can throw an exception. */
    enum Moment {
        NOWHERE,
        DECIDING,
        CONVENING,
        STARTING,
        OPENING,
        CLOSING,
        FAILING,
        STOPPING,
        LISTENING
    }

    private static final TestDatabase database = TestDatabase.create(MigratedSchema.class);
    private static final Observer observer = new Observer();
    private static final Shop shop = Shop.open(
            database,
            application -> application.initializers(context ->
                    ((GenericApplicationContext) context).registerBean("observer", Observer.class, () -> observer)));

    private final long parcel = shop.pack();
    private final AtomicInteger actions = new AtomicInteger();

    /** A handler and listener that throws an Error at the moment that the test chooses. */
    private static final class Observer implements ObservationHandler<Observation.Context>, TransitionListener {
        private volatile Moment broken = Moment.NOWHERE;
        private final List<String> notifications = new ArrayList<>();

        private void at(Moment moment) {
            notifications.add(moment.name());
            if (broken == moment) {
                throw new NoClassDefFoundError("broken while " + moment);
            }
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return "saga.transition".equals(context.getName());
        }

        @Override
        public void onStart(Observation.Context context) {
            at(Moment.STARTING);
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            at(Moment.OPENING);
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            at(Moment.CLOSING);
        }

        @Override
        public void onError(Observation.Context context) {
            at(Moment.FAILING);
        }

        @Override
        public void onStop(Observation.Context context) {
            at(Moment.STOPPING);
        }

        @Override
        public void finished(TransitionFinished transition) {
            at(Moment.LISTENING);
        }

        @Override
        public void failed(TransitionRequest request, Throwable failure) {
            at(Moment.LISTENING);
        }
    }

    static {
        ObservationRegistry.ObservationConfig config =
                shop.bean(ObservationRegistry.class).observationConfig();
        config.observationPredicate((name, context) -> {
            if ("saga.transition".equals(name)) {
                observer.at(Moment.DECIDING);
            }
            return true;
        });
        config.observationFilter(context -> {
            if ("saga.transition".equals(context.getName())) {
                observer.at(Moment.CONVENING);
            }
            return context;
        });
    }

    @AfterAll
    static void close() {
        shop.close();
        database.close();
    }

    @BeforeEach
    void count() {
        observer.broken = Moment.NOWHERE;
        observer.notifications.clear();
        shop.script().action = (entity, context) -> {
            actions.incrementAndGet();
            return ActionResult.success();
        };
    }

    @ParameterizedTest
    @EnumSource
    void anObserverThatThrowsChangesNoOutcome(Moment moment) {
        observer.broken = moment;

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(actions).hasValue(1);
        assertThat(shop.bean(ObservationRegistry.class).getCurrentObservationScope())
                .isNull();
    }

    @ParameterizedTest
    @EnumSource
    void anObserverThatThrowsHidesNoExceptionOfTheAction(Moment moment) {
        IOException thrown = new IOException("offline");
        shop.script().action = (entity, context) -> {
            throw thrown;
        };
        observer.broken = moment;

        assertThatThrownBy(() -> shop.send(parcel)).isSameAs(thrown);
        assertThat(shop.status(parcel)).isEqualTo("PACKED");
        assertThat(shop.bean(ObservationRegistry.class).getCurrentObservationScope())
                .isNull();
    }

    /** The tests above rely on these notifications, because their observer throws at each of these moments. */
    @Test
    void theObserverIsNotifiedAtEveryMoment() {
        shop.send(parcel);

        assertThat(observer.notifications)
                .containsExactly("DECIDING", "STARTING", "OPENING", "LISTENING", "CLOSING", "CONVENING", "STOPPING");
        observer.notifications.clear();
        shop.script().action = (entity, context) -> {
            throw new IOException("offline");
        };

        assertThatThrownBy(() -> shop.workflows().run("parcel", parcel, "lose", Shop.ADMIN));
        assertThat(observer.notifications).contains("FAILING", "LISTENING");
    }

    @Test
    void anEventListenerThatThrowsChangesNoOutcome() {
        List<Object> events = new ArrayList<>();
        shop.context().addApplicationListener(ApplicationListener.forPayload((TransitionFinished event) -> {
            events.add(event.outcome());
            throw new NoClassDefFoundError("broken listener");
        }));

        assertThat(shop.send(parcel)).isEqualTo(new TransitionOutcome.Completed("SENT", null));
        assertThat(events).containsExactly(new TransitionOutcome.Completed("SENT", null));
    }
}
