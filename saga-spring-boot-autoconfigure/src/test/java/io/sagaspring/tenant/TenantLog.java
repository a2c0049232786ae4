package io.sagaspring.tenant;

import io.sagaspring.workflow.AfterEffect;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A table to which every node writes the after-effects that it delivers, with the tenant of the thread. */
final class TenantLog {

    private TenantLog() {}

    static void create(JdbcClient database) {
        database.sql("CREATE TABLE public.followed (tenant text, number bigint, note text)")
                .update();
    }

    /** Returns an after-effect that writes to the table. */
    static AfterEffect<Job> following(ConfigurableApplicationContext context) {
        return (job, effect) -> context.getBean(JdbcTemplate.class)
                .update(
                        "INSERT INTO public.followed VALUES (?, ?, ?)",
                        context.getBean(ThreadTenants.class).current(),
                        job.number(),
                        job.note());
    }
}
