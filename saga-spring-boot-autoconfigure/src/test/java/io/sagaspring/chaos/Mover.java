package io.sagaspring.chaos;

import io.sagaspring.chaos.Journal.What;
import io.sagaspring.workflow.ActionContext;
import io.sagaspring.workflow.ActionResult;
import io.sagaspring.workflow.AfterEffect;
import io.sagaspring.workflow.AfterEffectContext;
import io.sagaspring.workflow.StepAction;
import jakarta.persistence.EntityManager;
import java.sql.PreparedStatement;
import org.hibernate.Session;

/**
 * The action of every step, and the after-effect. The action writes to the crate and to a table of its own, and records
 * its beginning and its end in the journal.
 */
final class Mover implements StepAction<Crate>, AfterEffect<Crate> {

    /** Hooks inside the action and the after-effect. A test may replace them. */
    interface Hooks {

        /** Is called before the action has written anything. */
        default void begun(Crate crate, ActionContext context) throws Exception {}

        /** Is called after the action has written, and returns the result of the action. */
        default ActionResult written(Crate crate, ActionContext context) throws Exception {
            return ActionResult.success(token(context));
        }

        /** Is called before the after-effect is delivered. */
        default void arriving(Crate crate) throws Exception {}

        /** Is called after the after-effect was delivered. */
        default void arrived(Crate crate) throws Exception {}
    }

    volatile Hooks hooks = new Hooks() {};

    private final EntityManager entities;
    private final Journal journal;
    private final String node;

    Mover(EntityManager entities, Journal journal, String node) {
        this.entities = entities;
        this.journal = journal;
        this.node = node;
    }

    static String token(ActionContext context) {
        return context.token().orElseThrow().toString();
    }

    @Override
    public ActionResult run(Crate crate, ActionContext context) throws Exception {
        String token = token(context);
        journal.write(What.START, node, crate.id(), token);
        try {
            hooks.begun(crate, context);
            crate.note(token);
            entities.unwrap(Session.class).doWork(connection -> {
                try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO moved (crate, token, step) VALUES (?, ?, ?)")) {
                    insert.setLong(1, crate.id());
                    insert.setLong(2, Long.parseLong(token));
                    insert.setString(3, context.step());
                    insert.executeUpdate();
                }
            });
            return hooks.written(crate, context);
        } finally {
            journal.write(What.END, node, crate.id(), token);
        }
    }

    @Override
    public void run(Crate crate, AfterEffectContext context) throws Exception {
        hooks.arriving(crate);
        journal.write(What.ARRIVED, node, crate.id(), context.key());
        hooks.arrived(crate);
    }
}
