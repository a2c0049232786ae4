package io.sagaspring.workflow;

import io.sagaspring.definition.Requester;
import io.sagaspring.definition.StepDefinition;
import io.sagaspring.due.DueHandler;
import io.sagaspring.due.DueItem;
import io.sagaspring.entity.EntityTable;
import io.sagaspring.fence.LogText;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The handler of after-effects, which are background work. The after-effects of each step are one kind of
 * background work, whose name contains the workflow and the step. A node therefore picks up only the after-effects of
 * steps that it knows.
 */
final class AfterEffects implements DueHandler {

    private final Map<String, Target> targets = new HashMap<>();
    private final StepBeans beans;

    AfterEffects(Collection<Workflow> workflows, StepBeans beans) {
        this.beans = beans;
        for (Workflow workflow : workflows) {
            for (StepDefinition step : workflow.definition().steps()) {
                if (!step.successAfterEffect().values().isEmpty()) {
                    targets.put(kind(workflow, step), new Target(workflow, step));
                }
            }
        }
    }

    private record Target(Workflow workflow, StepDefinition step) {}

    /**
     * Returns the kind of background work to which a step's after-effects belong. It does not contain the bean's name,
     * so that a renamed bean gets the after-effects that were recorded under its old name.
     */
    static String kind(Workflow workflow, StepDefinition step) {
        return "after-effect:%s:%s:%s".formatted(workflow.name(), step.key(), step.id());
    }

    static String payload(Requester requester, String id) {
        return requester.name() + '\n' + id;
    }

    @Override
    public Set<String> kinds() {
        return Set.copyOf(targets.keySet());
    }

    @Override
    public void handle(DueItem item) throws Exception {
        Target target = targets.get(item.kind());
        if (target == null) {
            throw new IllegalStateException(
                    "No workflow step of this node has after-effects of kind '%s'.".formatted(item.kind()));
        }
        int end = item.payload().indexOf('\n');
        Requester requester = Requester.of(item.payload().substring(0, end));
        EntityTable table = target.workflow().here().table();
        String text = item.payload().substring(end + 1);
        // The payload contains the id without the tenant. With tenants, the method idOf expects the id as the ledger
        // stores it, which includes the tenant.
        Object id = table.hasTenants() ? table.rowId(text) : table.idOf(text);
        AfterEffectContext context = new AfterEffectContext(
                target.workflow().name(), target.step().key(), requester, item.key(), item.attempt());
        String bean = target.step()
                .successAfterEffect()
                .of(requester)
                .orElseThrow(() -> new IllegalStateException(
                        "Step '%s' no longer has an after-effect for requester '%s'. Configure one, or give up this work."
                                .formatted(target.step().key(), requester)));
        if (beans.followsById(bean)) {
            beans.follow(bean, id, context);
            return;
        }
        table.outsideTransaction(
                id,
                entity -> beans.follow(
                        bean,
                        entity.orElseThrow(() -> new IllegalStateException(
                                "%s %s no longer exists, so its after-effect cannot run. Give up this work."
                                        .formatted(table.entity().getSimpleName(), LogText.of(table.text(id))))),
                        context));
    }
}
