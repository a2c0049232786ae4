package com.example.docs.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sagaspring.definition.Requester;
import io.sagaspring.test.database.FreshDatabase;
import io.sagaspring.workflow.TransitionOutcome;
import io.sagaspring.workflow.UnknownException;
import io.sagaspring.workflow.Workflows;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "spring.config.location=classpath:com/example/docs/tenants/",
            "spring.flyway.enabled=false",
            "spring.jpa.hibernate.ddl-auto=validate",
            "spring.sql.init.schema-locations=classpath:com/example/docs/tenants/schema.sql"
        })
@FreshDatabase
class BillTests {

    @Autowired
    CurrentTenant tenants;

    @Autowired
    TenantFilter filter;

    @Autowired
    Workflows workflows;

    @Test
    void onlyTheTenantThatOwnsABillCanSettleIt() throws Exception {
        assertThatExceptionOfType(UnknownException.Entity.class).isThrownBy(() -> settle("globex"));
        assertThat(settle("acme")).isInstanceOf(TransitionOutcome.Completed.class);
    }

    private TransitionOutcome settle(String tenant) throws Exception {
        return tenants.call(tenant, () -> workflows.run("bill", 1, "settle", Requester.of("system")));
    }

    @Test
    void aRequestIsHandledForTheTenantOfItsUser() throws Exception {
        AtomicReference<@Nullable String> seen = new AtomicReference<>();
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setUserPrincipal(() -> "ann@acme");

        filter.doFilter(request, new MockHttpServletResponse(), new MockFilterChain() {
            @Override
            public void doFilter(jakarta.servlet.ServletRequest ignored, jakarta.servlet.ServletResponse response) {
                seen.set(tenants.current());
            }
        });

        assertThat(seen).hasValue("acme");
        assertThat(tenants.current()).isNull();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @ComponentScan
    static class Application {}
}
