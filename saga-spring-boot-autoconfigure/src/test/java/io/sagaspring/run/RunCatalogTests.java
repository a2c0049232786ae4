package io.sagaspring.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;

class RunCatalogTests {

    private static final Tale tale = new Tale("tale", (run, input) -> input);

    @Test
    void codeBehindAProxyOfItsInterfacesIsFoundByItsClass() {
        DurableRun<?, ?> proxied = (DurableRun<?, ?>) new ProxyFactory(tale).getProxy();

        RunCatalog catalog = new RunCatalog(List.of(proxied));

        assertThat(catalog.of(Tale.class).input()).isEqualTo(String.class);
        assertThat(catalog.of(Tale.class).bean()).isSameAs(proxied);
    }

    @Test
    void aClassOfWhichThereAreTwoBeansIsAmbiguous() {
        RunCatalog catalog = new RunCatalog(List.of(tale, new Tale("another", (run, input) -> input)));

        assertThatThrownBy(() -> catalog.of(Tale.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than one");
    }
}
