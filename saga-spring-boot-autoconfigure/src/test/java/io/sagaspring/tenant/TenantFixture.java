package io.sagaspring.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.claim.Claim;
import io.sagaspring.claim.ClaimAttempt;
import io.sagaspring.workflow.ActionResult;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** An application with the tenants a and b, for the tests of a {@link TenantContract}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TenantFixture {

    private static final AtomicInteger numbers = new AtomicInteger();

    TenantShop shop;
    final ExecutorService threads = Executors.newCachedThreadPool();
    final Queue<String> executions = new ConcurrentLinkedQueue<>();
    final Queue<String> followed = new ConcurrentLinkedQueue<>();

    abstract TenantShop open();

    abstract Stream<Class<?>> jobs();

    abstract void closeDatabases();

    /** Reads the status of a job without the application. */
    abstract String status(String tenant, Class<?> job, long number);

    abstract void writeStatus(String tenant, Class<?> job, long number, String status);

    /** Returns a statement that locks all rows of a job's table that the tenant can access. */
    abstract String lockAll(String tenant, Class<?> job);

    /** Returns the id as a caller passes it. */
    Object id(String tenant, Class<?> job, long number) {
        return number;
    }

    @BeforeAll
    void openShop() {
        shop = open();
    }

    @BeforeEach
    void reset() {
        executions.clear();
        followed.clear();
        TenantApplication.acting = (job, context) -> {
            executions.add("%s in %s".formatted(job.number(), shop.tenants().current()));
            job.note("closed for " + shop.tenants().current());
            return ActionResult.success();
        };
        TenantApplication.following = (job, context) ->
                followed.add("%s in %s".formatted(job.number(), shop.tenants().current()));
    }

    @AfterEach
    void endInterference() {
        shop.shop().interference().none();
        TenantApplication.Resolver.mistake = "";
    }

    @AfterAll
    void close() {
        threads.shutdownNow();
        shop.close();
        closeDatabases();
    }

    private static long next() {
        return numbers.incrementAndGet();
    }

    long saved(Class<?> job, String... tenants) {
        long next = next();
        for (String tenant : tenants) {
            shop.save(tenant, job, next);
        }
        return next;
    }

    Claim granted(String tenant, Class<?> job, long id) {
        ClaimAttempt attempt = shop.claim(tenant, job, id(tenant, job, id));
        assertThat(attempt).isInstanceOf(ClaimAttempt.Granted.class);
        return ((ClaimAttempt.Granted) attempt).claim();
    }
}
