package io.sagaspring.sample.effects;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** A fake courier. It remembers the callback token of each parcel, for all nodes. */
@Component
public class Courier {

    private final EffectsLedger ledger;
    private final JdbcClient effects;
    private final ApplicationEventPublisher events;

    Courier(
            EffectsLedger ledger,
            @Qualifier("effectsJdbcClient") JdbcClient effects,
            ApplicationEventPublisher events) {
        this.ledger = ledger;
        this.effects = effects;
        this.events = events;
    }

    /**
     * A parcel.
     *
     * @param order the order in the parcel
     * @param execution the execution to call back
     * @param token the token to present in the callback
     * @param byHimself true if the courier delivers the parcel and calls back automatically
     */
    public record Parcel(String order, String execution, String token, boolean byHimself) {}

    /**
     * The event that a parcel is on its way and will be delivered automatically.
     *
     * @param execution the execution to call back
     * @param token the token to present in the callback
     */
    public record OnHisWay(String execution, String token) {}

    /**
     * Takes a parcel.
     *
     * @param parcel the parcel
     * @param key the effect key, the same in each repeated call
     * @return the courier's number of the shipment
     */
    public String ship(Parcel parcel, String key) {
        effects.sql("""
                INSERT INTO effects.parcel (execution_id, token, by_himself) VALUES (:execution, :token, :byHimself)
                ON CONFLICT (execution_id) DO UPDATE
                SET token = EXCLUDED.token, by_himself = EXCLUDED.by_himself, at = clock_timestamp()""")
                .param("execution", parcel.execution())
                .param("token", parcel.token())
                .param("byHimself", parcel.byHimself())
                .update();
        ledger.append("ship", parcel.order(), key);
        if (parcel.byHimself()) {
            events.publishEvent(new OnHisWay(parcel.execution(), parcel.token()));
        }
        return "sh_" + UUID.randomUUID();
    }

    /**
     * Cancels the delivery of a parcel. Does nothing if the courier does not have it.
     *
     * @param order the order in the parcel
     * @param shipment the key under which the parcel was shipped
     * @param key the effect key, the same in each repeated call
     */
    public void cancel(String order, String shipment, String key) {
        ledger.takeBack(shipment, "cancel_shipment", order, key);
    }

    /**
     * Returns the callback token of the latest parcel of an execution.
     *
     * @param execution the execution to call back
     * @return the token, or empty if there is no parcel
     */
    public Optional<String> token(String execution) {
        return effects.sql("SELECT token FROM effects.parcel WHERE execution_id = :execution")
                .param("execution", execution)
                .query(String.class)
                .optional();
    }

    /**
     * Returns the deliveries whose callback has not come within 2 s, for example because the node that had to call back
     * died.
     *
     * @return at most 100 deliveries, oldest first
     */
    public List<OnHisWay> late() {
        return effects.sql("""
                SELECT execution_id, token FROM effects.parcel
                WHERE by_himself AND at < clock_timestamp() - interval '2 seconds' ORDER BY at LIMIT 100""")
                .query((row, number) -> new OnHisWay(row.getString("execution_id"), row.getString("token")))
                .list();
    }

    /**
     * Records that the courier has called back for this delivery.
     *
     * @param way the delivery
     */
    public void hasCalledBack(OnHisWay way) {
        effects.sql("UPDATE effects.parcel SET by_himself = false WHERE execution_id = :execution AND token = :token")
                .param("execution", way.execution())
                .param("token", way.token())
                .update();
    }
}
