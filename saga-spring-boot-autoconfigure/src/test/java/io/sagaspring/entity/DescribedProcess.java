package io.sagaspring.entity;

import java.io.IOException;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** A node with every kind of described table, in its own JVM. */
final class DescribedProcess {

    private DescribedProcess() {}

    public static void main(String[] settings) throws IOException {
        ClaimedProcess.run(
                new SpringApplicationBuilder(DescribedShop.WithoutJpa.class)
                        .web(WebApplicationType.NONE)
                        .properties(DescribedShop.properties())
                        .initializers(DescribedShop::describe),
                settings,
                DescribedKind::valueOf);
    }
}
