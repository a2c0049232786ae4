package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.transaction.annotation.Transactional;

class RunCatalogTests {

    private static final Tale tale = new Tale("tale", (run, input) -> input);

    @Test
    void codeBehindAProxyOfItsInterfacesIsFoundByItsClass() {
        DurableRun<?, ?> proxied = (DurableRun<?, ?>) new ProxyFactory(tale).getProxy();

        RunCatalog catalog = new RunCatalog(List.of(proxied));

        assertThat(catalog.of(Tale.class).input()).isEqualTo(String.class);
        assertThat(catalog.of(Tale.class).bean()).isSameAs(proxied);
    }

    static class Transacted implements DurableRun<String, String> {
        @Override
        @Transactional
        public String run(RunContext run, String input) {
            return input;
        }
    }

    @Transactional
    static class TransactedAsAWhole implements DurableRun<String, String> {
        @Override
        public String run(RunContext run, String input) {
            return input;
        }
    }

    /** For whoever starts it in the transaction of its own. */
    static class StartedInATransaction implements DurableRun<String, String> {
        @Override
        public String run(RunContext run, String input) {
            return input;
        }

        @Transactional
        public void order() {}
    }

    @Test
    void aTransactionAroundARunIsAFaultAtStartUp() {
        RunCatalog unused = new RunCatalog(List.of(new StartedInATransaction()));

        assertThatThrownBy(() -> new RunCatalog(List.of(new Transacted(), new TransactedAsAWhole())))
                .isInstanceOf(InvalidRunsException.class)
                .hasMessageContaining("The method 'run' of the run " + Transacted.class.getName())
                .hasMessageContaining("The class of the run " + TransactedAsAWhole.class.getName())
                .hasMessageContaining("RunContext.transactionalStep");
    }

    @Test
    void aClassOfWhichThereAreTwoBeansIsAmbiguous() {
        RunCatalog catalog = new RunCatalog(List.of(tale, new Tale("another", (run, input) -> input)));

        assertThatThrownBy(() -> catalog.of(Tale.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than one");
    }
}
