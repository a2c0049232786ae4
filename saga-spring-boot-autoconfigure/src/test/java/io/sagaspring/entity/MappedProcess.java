package io.sagaspring.entity;

import io.sagaspring.shop.Shop;
import java.io.IOException;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** A node with every mapping, in its own JVM. */
final class MappedProcess {

    private MappedProcess() {}

    public static void main(String[] settings) throws IOException {
        ClaimedProcess.run(
                new SpringApplicationBuilder(Shop.application(), MappedShop.Mapped.class)
                        .web(WebApplicationType.NONE)
                        .properties(Shop.settings())
                        .properties(MappedShop.properties())
                        // The tables exist already.
                        .properties("spring.jpa.hibernate.ddl-auto=none"),
                settings,
                Mapping::valueOf);
    }
}
