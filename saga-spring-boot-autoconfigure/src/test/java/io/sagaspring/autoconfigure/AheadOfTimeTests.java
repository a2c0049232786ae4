package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.janitor.JanitorRegistry;
import io.sagaspring.janitor.Sweep;
import io.sagaspring.shop.Shop;
import io.sagaspring.startup.StartupFaultException;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.Workflows;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/**
 * Conditions are evaluated during ahead-of-time processing. The processed application must still check at start-up that
 * its janitors exist.
 */
@CompileWithForkedClassLoader
class AheadOfTimeTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    /** This is one test for both cases, because each test loads all classes again. */
    @Test
    void aProcessedApplicationStartsWithItsJanitorAndFailsWithoutIt() {
        processAndStart("Whole", Map.of(), started -> {
            assertThat(started.getBean(Workflows.class).definitions()).hasSize(1);
            assertThat(started.getBean(JanitorRegistry.class).sweeps())
                    .extracting(Sweep::module)
                    .containsExactly("shop");
        });

        assertThatThrownBy(() -> processAndStart("WithoutJanitor", Map.of("shop.janitor", "false"), started -> {}))
                .isInstanceOf(StartupFaultException.class)
                .hasMessageContaining("has no janitor");
    }

    private void processAndStart(
            String name, Map<String, Object> properties, Consumer<GenericApplicationContext> then) {
        TestGenerationContext generated = new TestGenerationContext();
        DefaultGenerationContext named = generated.withName(name);
        AnnotationConfigApplicationContext original = new AnnotationConfigApplicationContext();
        original.register(Shop.application());
        configure(original, properties);
        var initializer = new ApplicationContextAotGenerator().processAheadOfTime(original, named);
        named.writeGeneratedContent();
        TestCompiler.forSystem().with(generated).compile(compiled -> {
            @SuppressWarnings("unchecked") // The generated class is an initializer.
            ApplicationContextInitializer<GenericApplicationContext> start =
                    compiled.getInstance(ApplicationContextInitializer.class, initializer.toString());
            try (GenericApplicationContext started = new GenericApplicationContext()) {
                configure(started, properties);
                start.initialize(started);
                started.refresh();
                then.accept(started);
            }
        });
    }

    private void configure(GenericApplicationContext context, Map<String, Object> properties) {
        Map<String, Object> settings = new LinkedHashMap<>(Shop.settings());
        settings.put("spring.datasource.url", database.getJdbcUrl());
        settings.put("spring.datasource.username", String.valueOf(database.getUsername()));
        settings.put("spring.datasource.password", String.valueOf(database.getPassword()));
        settings.putAll(properties);
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("shop", settings));
    }
}
