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
 * Delivers parcels automatically. The callback is fast and may arrive before the step that shipped the parcel has
 * committed. Such an early callback is accepted.
 */
@Component
class SelfDelivery {

    private static final Logger logger = LoggerFactory.getLogger(SelfDelivery.class);

    private static final int THREADS = 4;
    private static final int QUEUE_CAPACITY = 1000;

    private final Sagas sagas;
    private final Courier courier;
    private final ThreadPoolExecutor executor = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            10,
            SECONDS,
            new LinkedBlockingQueue<>(QUEUE_CAPACITY),
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
            logger.debug("The courier for execution {} will call back later", way.execution());
        }
    }

    /** Makes the callbacks that failed, or that a node did not make because it died. */
    @Scheduled(fixedDelayString = "${sample.courier.poll:1s}")
    void deliverLate() {
        courier.late().forEach(this::callBack);
    }

    private void callBack(OnHisWay way) {
        try {
            CallbackResult answer = sagas.callback(way.execution(), FulfillmentTask.STEP, way.token())
                    .complete(Map.of("deliveredBy", "courier"));
            logger.debug("The courier for execution {} called back: {}", way.execution(), answer);
            courier.hasCalledBack(way);
        } catch (NoSuchCallbackException tooOld) {
            courier.hasCalledBack(way);
        } catch (RuntimeException failed) {
            logger.warn(
                    "The courier for execution {} could not call back, and will try again", way.execution(), failed);
        }
    }

    @PreDestroy
    void stop() {
        executor.shutdownNow();
    }
}
