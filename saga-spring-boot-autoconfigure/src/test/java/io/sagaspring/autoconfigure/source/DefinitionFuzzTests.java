package io.sagaspring.autoconfigure.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.autoconfigure.source.WorkflowSources.Gathered;
import io.sagaspring.definition.DefinitionReader;
import io.sagaspring.definition.DefinitionReader.Definitions;
import io.sagaspring.definition.Fault;
import io.sagaspring.definition.Rule;
import io.sagaspring.shop.Scale;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

/**
 * The reader either refuses a random configuration and explains the faults in sentences, or accepts it because the
 * specification allows it. {@link SpecifiedDefinitions} checks the accepted configurations. It shares no code with the
 * reader under test.
 */
class DefinitionFuzzTests {

    private static final int CONFIGURATIONS = Scale.times(5_000);

    private final Map<String, Integer> hits = new TreeMap<>();
    private int accepted;

    @Test
    void aRandomDefinitionIsAcceptedOrRefusedInSentences() {
        long fresh = RandomGenerator.getDefault().nextLong();
        long[] seeds = LongStream.concat(LongStream.of(1, 2, 3, -2525815509082589640L), LongStream.of(fresh))
                .toArray();
        for (long seed : seeds) {
            MutatedWorkflows generator = new MutatedWorkflows(seed);
            for (int each = 0; each < CONFIGURATIONS / seeds.length; each++) {
                judge(generator.next(), "seed %d, configuration %d".formatted(seed, each));
            }
        }
        System.out.printf(
                "%d configurations, %d accepted, seeds %s, faults by rule %s%n",
                CONFIGURATIONS, accepted, Arrays.toString(seeds), hits);

        assertThat(accepted).isGreaterThan(CONFIGURATIONS / 20);
        Set<String> rules =
                Stream.of(Rule.values()).map(Rule::shortName).collect(Collectors.toCollection(TreeSet::new));
        rules.addAll(Stream.of(SourceRule.values()).map(SourceRule::shortName).toList());
        assertThat(hits.keySet()).isEqualTo(rules);
    }

    private void judge(MutatedWorkflows.Written written, String origin) {
        List<Fault> faults = new ArrayList<>();
        Definitions read;
        try {
            Gathered gathered = WorkflowSources.gather(environment(written), new InMemoryFiles(written.files()));
            read = DefinitionReader.read(gathered.workflows());
            faults.addAll(gathered.faults());
            faults.addAll(read.faults());
        } catch (Exception | StackOverflowError thrown) {
            throw new AssertionError("%s: %s".formatted(origin, written), thrown);
        }
        if (faults.isEmpty()) {
            accepted++;
            assertThat(SpecifiedDefinitions.objections(read.workflows(), written.trees()))
                    .as(() -> "%s: %s".formatted(origin, written))
                    .isEmpty();
        }
        for (Fault fault : faults) {
            hits.merge(fault.rule(), 1, Integer::sum);
            boolean explains = !fault.path().isBlank()
                    && !fault.rule().isBlank()
                    && fault.sentence().length() > 20
                    && fault.sentence().endsWith(".")
                    && !fault.sentence().contains("%s")
                    && fault.toString().codePoints().noneMatch(Character::isISOControl);
            if (!explains) {
                throw new AssertionError("%s: %s: %s".formatted(origin, fault, written));
            }
        }
    }

    private static ConfigurableEnvironment environment(MutatedWorkflows.Written written) throws Exception {
        ConfigurableEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
        if (!written.files().isEmpty()) {
            // In a configured folder, the reader ignores no file, not even one that looks like a file of another tool.
            environment
                    .getPropertySources()
                    .addLast(new MapPropertySource(
                            "folder", Map.of("saga.workflow-locations", "classpath*:/workflows/")));
        }
        for (Object document : written.documents()) {
            String text = MutatedWorkflows.yaml(Map.of("saga", Map.of("workflows", document)));
            String name = "document " + environment.getPropertySources().size();
            for (PropertySource<?> source :
                    new YamlPropertySourceLoader().load(name, new ByteArrayResource(bytes(text), name))) {
                environment.getPropertySources().addLast(source);
            }
        }
        written.properties().forEach(source -> environment.getPropertySources().addLast(source));
        return environment;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
