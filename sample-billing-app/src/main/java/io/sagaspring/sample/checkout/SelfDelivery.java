package io.sagaspring.sample.checkout;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.sagaspring.saga.CallbackResult;
import io.sagaspring.saga.NoSuchCallbackException;
import io.sagaspring.saga.Sagas;
import io.sagaspring.sample.effects.Courier;
import io.sagaspring.sample.effects.Courier.OnHisWay;
import jakarta.annotation.PreDestroy;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * The courier where he delivers by himself. He is quick: he may call back before the step that gave him the parcel has
 * committed, which does no harm.
 */
@Component
class SelfDelivery {

    private static final Logger logger = LoggerFactory.getLogger(SelfDelivery.class);

    private static final int AT_ONCE = 4;
    private static final int WAITING = 1000;

    private final Sagas sagas;
    private final Courier courier;
    private final ThreadPoolExecutor executor = new ThreadPoolExecutor(
            AT_ONCE,
            AT_ONCE,
            10,
            SECONDS,
            new LinkedBlockingQueue<>(WAITING),
            new CustomizableThreadFactory("courier-"));

    SelfDelivery(Sagas sagas, Courier courier) {
        this.sagas = sagas;
        this.courier = courier;
        executor.allowCoreThreadTimeOut(true);
    }

    @EventListener
    void deliver(OnHisWay way) {
        try {
            executor.execute(() -> callBack(way));
        } catch (RejectedExecutionException fullOrClosing) {
            logger.debug("The courier of {} is late", way.execution());
        }
    }

    /** Goes the ways that were lost with a node, or failed. */
    @Scheduled(fixedDelayString = "${sample.courier.poll:1s}")
    void goOn() {
        courier.late().forEach(this::callBack);
    }

    private void callBack(OnHisWay way) {
        try {
            CallbackResult answer = sagas.callback(way.execution(), FulfillmentTask.STEP, way.token())
                    .complete(Map.of("deliveredBy", "courier"));
            logger.debug("The courier of {} called back: {}", way.execution(), answer);
            courier.hasCalledBack(way);
        } catch (NoSuchCallbackException tooOld) {
            courier.hasCalledBack(way);
        } catch (RuntimeException failed) {
            logger.warn("The courier of {} could not call back; he will try again", way.execution(), failed);
        }
    }

    @PreDestroy
    void stop() {
        executor.shutdownNow();
    }
}
