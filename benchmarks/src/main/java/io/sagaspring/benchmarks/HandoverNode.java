package io.sagaspring.benchmarks;

import io.sagaspring.run.Runs;
import java.util.stream.IntStream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A node that starts some runs and prints that they have started. The benchmark then stops the node. */
@Configuration(proxyBeanMethods = false)
@Import(OurFlows.Application.class)
class HandoverNode {

    static final String STARTED = "started";

    @Bean
    ManySteps manySteps() {
        return new ManySteps();
    }

    static ConfigurableApplicationContext open(String url, int slots, String... more) {
        return new SpringApplicationBuilder(HandoverNode.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.maximum-pool-size=" + slots,
                        "saga.runs.concurrency=" + slots,
                        "spring.main.banner-mode=off")
                .properties(more)
                .run();
    }

    /** Starts the node. The arguments are the URL of the database, the number of runs, and a property. */
    public static void main(String[] args) {
        int count = Integer.parseInt(args[1]);
        Runs runs = open(args[0], count, args[2]).getBean(Runs.class);
        IntStream.range(0, count).forEach(each -> runs.start(ManySteps.class, ""));
        System.out.println(STARTED);
    }
}
