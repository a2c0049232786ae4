package io.sagaspring.sample.seed;

import io.sagaspring.run.RunHandle;
import io.sagaspring.run.RunOptions;
import io.sagaspring.run.Runs;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * Starts some payouts and checkouts, and causes each kind of trouble that needs a person. Most of it goes through the
 * same HTTP calls as a client's work. All keys are fixed, so a restart adds nothing.
 */
@Component
@ConditionalOnBooleanProperty("sample.seed")
class Seed {

    private static final Logger logger = LoggerFactory.getLogger(Seed.class);

    private static final Duration FAR = Duration.ofDays(365);

    private final Runs runs;
    private final DeadNodes deadNodes;
    private final Environment environment;

    Seed(Runs runs, DeadNodes deadNodes, Environment environment) {
        this.runs = runs;
        this.deadNodes = deadNodes;
        this.environment = environment;
    }

    /** The sample also works without this data, so a failure is only logged. */
    @EventListener(ApplicationReadyEvent.class)
    void plant() {
        try {
            payouts();
            checkouts();
            incidents();
        } catch (RuntimeException failed) {
            logger.warn(
                    "The sample has not got all data for the first trial. To start without it, set sample.seed=false.",
                    failed);
        }
    }

    private void payouts() {
        for (int number = 1; number <= 9; number++) {
            payout("t%d".formatted(number % 4 + 1), "salary-%d".formatted(number), "delay:20");
        }
        payout("t2", "refund-1", "fail:2");
        // After a retry, the sixth attempt succeeds.
        payout("t3", "refund-2", "fail:5");
    }

    private void checkouts() {
        checkout("book-1", 4_200, "\"auto_courier\":\"true\"");
        checkout("book-2", 1_900, "\"auto_courier\":\"true\",\"charge_card\":\"fail:2\"");
        checkout("lamp-1", 8_900, "\"arrange_fulfillment\":\"fail:always\"");
        checkout("desk-1", 240_000, "\"auto_courier\":\"true\"");
        checkout("chair-1", 12_900, "");
    }

    /** Causes what a person is called for at night. */
    private void incidents() {
        checkout("vase-1", 5_900, "\"arrange_fulfillment\":\"fail:always\",\"release_stock\":\"fail:6\"");
        runs.start(WireMoney.class, "DE02-1203-0000-0000-2020-51", RunOptions.withKey("wire:1"));
        RunHandle<?> export = runs.start(
                ExportLedger.class, "2025", RunOptions.withKey("export:2025").andAfter(FAR));
        if (export.isNew()) {
            deadNodes.haveDiedWith(export.id());
        }
        deadNodes.freezeWithClaim();
    }

    private void payout(String tenant, String reference, String trouble) {
        post("/api/payouts", """
                {"tenant":"%s","reference":"%s","amountCents":250000,"simulate":{"transfer":"%s"}}""".formatted(tenant, reference, trouble));
    }

    private void checkout(String order, int cents, String trouble) {
        post("/api/checkouts", """
                {"orderId":"%s","amountCents":%s,"paymentToken":"tok_1","simulate":{%s}}""".formatted(order, cents, trouble));
    }

    private void post(String path, String body) {
        String host = environment.getProperty("server.address", "localhost");
        RestClient.create("http://%s:%s".formatted(host, environment.getProperty("local.server.port")))
                .post()
                .uri(path)
                .contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .retrieve()
                .toBodilessEntity();
    }
}
