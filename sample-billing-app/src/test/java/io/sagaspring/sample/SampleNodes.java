package io.sagaspring.sample;

import io.sagaspring.test.database.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Instances of the sample on one database, in this process. */
public final class SampleNodes {

    private SampleNodes() {}

    /** Starts another instance on its own port. */
    public static ConfigurableApplicationContext start(TestDatabase database, String... settings) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.datasource.url=" + database.getJdbcUrl(),
                "--spring.datasource.username=" + database.getUsername(),
                "--spring.main.banner-mode=off"));
        if (database.getPassword() != null) {
            arguments.add("--spring.datasource.password=" + database.getPassword());
        }
        arguments.addAll(List.of(settings));
        return new SpringApplicationBuilder(SampleBillingApplication.class).run(arguments.toArray(String[]::new));
    }

    public static Api api(ConfigurableApplicationContext instance) {
        return new Api(instance.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
    }
}
