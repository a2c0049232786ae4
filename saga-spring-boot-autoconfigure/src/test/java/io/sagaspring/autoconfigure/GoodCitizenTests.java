package io.sagaspring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.test.database.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import tools.jackson.databind.ObjectMapper;

/** If the starter is added to an application, all beans that the application already had stay unchanged. */
class GoodCitizenTests {

    @AutoClose
    private final TestDatabase database = TestDatabase.create();

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {}

    @Test
    void everyBeanOfSpringBootIsTheSameWithAndWithoutTheStarter() {
        Map<String, String> without = beans("spring.autoconfigure.exclude=" + String.join(",", sagaConfigurations()));
        Map<String, String> with = beans();

        assertThat(with).containsAllEntriesOf(without);
        with.keySet().removeAll(without.keySet());
        assertThat(with).isNotEmpty();
        assertThat(with.values())
                .allMatch(bean -> bean.startsWith("io.sagaspring.") || bean.contains("default candidate false"));
    }

    /** Checks the premise of the test above. In practice, other starters have replaced these beans. */
    @Test
    void theComparedApplicationHasTheBeansThatOtherStartersReplace() {
        try (ConfigurableApplicationContext context = start()) {
            assertThat(context.getBeansOfType(TaskScheduler.class)).containsKey("taskScheduler");
            assertThat(context.getBeansOfType(TaskExecutor.class)).containsKey("applicationTaskExecutor");
            assertThat(context.getBeansOfType(Flyway.class)).containsOnlyKeys("flyway");
            assertThat(context.getBeansOfType(ObjectMapper.class)).hasSize(1);
        }
    }

    private Map<String, String> beans(String... properties) {
        try (ConfigurableApplicationContext context = start(properties)) {
            ConfigurableListableBeanFactory factory = context.getBeanFactory();
            Map<String, String> types = new TreeMap<>();
            for (String name : factory.getBeanDefinitionNames()) {
                Class<?> type = factory.getType(name);
                BeanDefinition definition = factory.getBeanDefinition(name);
                types.put(
                        name,
                        "%s primary %s fallback %s lazy %s candidate %s default candidate %s scope %s"
                                .formatted(
                                        type == null ? "" : withoutRunNumber(type.getName()),
                                        definition.isPrimary(),
                                        definition.isFallback(),
                                        definition.isLazyInit(),
                                        definition.isAutowireCandidate(),
                                        definition instanceof AbstractBeanDefinition known
                                                && known.isDefaultCandidate(),
                                        definition.getScope()));
            }
            return types;
        }
    }

    private static List<String> sagaConfigurations() {
        return ImportCandidates.load(AutoConfiguration.class, GoodCitizenTests.class.getClassLoader())
                .getCandidates()
                .stream()
                .filter(candidate -> candidate.startsWith("io.sagaspring."))
                .toList();
    }

    /** Removes the numbers of lambdas and proxies, which differ between two starts of the same application. */
    private static String withoutRunNumber(String type) {
        return type.replaceAll("(\\$\\$Lambda|\\$Proxy|\\$\\$SpringCGLIB).*", "$1");
    }

    private ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0",
                        "spring.flyway.locations=classpath:db/application",
                        "spring.liquibase.enabled=false")
                .properties(properties)
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                JdbcConnectionDetails.class,
                                () -> database,
                                definition -> definition.setDestroyMethodName("")))
                .run();
    }
}
