package io.sagaspring.sample.effects;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Carries parcels, or would. He remembers what he has to show when he calls back; it is the same on every node. */
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
     * What he is given.
     *
     * @param order what is in it
     * @param execution about what he calls back
     * @param token what he has to show then
     * @param byHimself whether he delivers without being told to, and calls back
     */
    public record Parcel(String order, String execution, String token, boolean byHimself) {}

    /**
     * He is on his way, and delivers by himself.
     *
     * @param execution about what he calls back
     * @param token what he has to show then
     */
    public record OnHisWay(String execution, String token) {}

    /**
     * Takes a parcel, and carries it afterwards.
     *
     * @param parcel what he is given
     * @param key the same whenever this is asked for again
     * @return how he calls the shipment
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
     * Has him come back. Does nothing if he has no parcel.
     *
     * @param order what is in it
     * @param shipment the key under which he took it
     * @param key the same whenever this is asked for again
     */
    public void cancel(String order, String shipment, String key) {
        ledger.takeBack(shipment, "cancel_shipment", order, key);
    }

    /**
     * What he was given last.
     *
     * @param execution about what he calls back
     * @return what he has to show, or empty if he was given nothing
     */
    public Optional<String> token(String execution) {
        return effects.sql("SELECT token FROM effects.parcel WHERE execution_id = :execution")
                .param("execution", execution)
                .query(String.class)
                .optional();
    }

    /**
     * Whom he was to call back by himself, and has not for seconds: he was on a node that died.
     *
     * @return some of them, the oldest first
     */
    public List<OnHisWay> late() {
        return effects.sql("""
                SELECT execution_id, token FROM effects.parcel
                WHERE by_himself AND at < clock_timestamp() - interval '2 seconds' ORDER BY at LIMIT 100""")
                .query((row, number) -> new OnHisWay(row.getString("execution_id"), row.getString("token")))
                .list();
    }

    /**
     * He has called back, and need not do so again.
     *
     * @param way which he was on
     */
    public void hasCalledBack(OnHisWay way) {
        effects.sql("UPDATE effects.parcel SET by_himself = false WHERE execution_id = :execution AND token = :token")
                .param("execution", way.execution())
                .param("token", way.token())
                .update();
    }
}
