package io.sagaspring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.sagaspring.MarkedTable;
import io.sagaspring.due.DueWork;
import io.sagaspring.operations.RunDetails;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunView;
import io.sagaspring.run.Runs;
import io.sagaspring.run.queue.RunQueue;
import io.sagaspring.saga.Saga;
import io.sagaspring.saga.SagaDefinition;
import io.sagaspring.saga.SagaHandle;
import io.sagaspring.saga.Sagas;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Http;
import io.sagaspring.shop.Shop;
import io.sagaspring.test.database.TestDatabase;
import io.sagaspring.workflow.ActionResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** The page for operators matches the meters, the endpoints and the names of the application. */
class OperationsDocumentTests {

    private static final Path DOCUMENTS = Path.of("../docs");
    private static final Path PAGE = DOCUMENTS.resolve("operations.md");
    private static final Path ENDPOINTS = DOCUMENTS.resolve("endpoints.md");
    private static final Pattern ROW =
            Pattern.compile("^\\| `(saga\\.[a-z.]+)` \\| ([a-z ]+) \\|([a-z` ]*)\\| .+ \\|$", Pattern.MULTILINE);

    private static final Pattern REQUEST = Pattern.compile(
            "^\\| `(GET|POST|DELETE) /actuator/([a-z/{}]+)(?:\\?[^`]*)?` \\| (read|write) \\|", Pattern.MULTILINE);

    private static final String HEAD = "| meter | type | tags | what it says |\n| --- | --- | --- | --- |\n";

    private static final String SYMPTOMS = "| symptom | look at | do |\n";

    private static final Map<String, String> DECISIONS =
            Map.of("done", "{\"step\":\"a\",\"result\":\"null\"}", "not-done", "{\"step\":\"a\"}", "give-up", "{}");

    @AutoClose
    private final TestDatabase database = TestDatabase.create(MigratedSchema.class);

    /** A saga whose step collects the meters, because some exist only while a step is executing. */
    static final class Printing implements Saga<String> {

        private final ObjectProvider<MeterRegistry> registry;
        private final Set<String> meters = new ConcurrentSkipListSet<>();

        Printing(ObjectProvider<MeterRegistry> registry) {
            this.registry = registry;
        }

        @Override
        public void define(SagaDefinition<String> saga) {
            saga.step("print", context -> {
                collect(registry.getObject(), meters);
                return null;
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Executed {

        @Bean
        Printing printing(ObjectProvider<MeterRegistry> registry) {
            return new Printing(registry);
        }

        @Bean
        RunQueue queue() {
            return RunQueue.named("queue");
        }
    }

    @Test
    void theTableOfMetersMatchesTheRegistry() throws Exception {
        Set<String> written = new TreeSet<>();
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            written.add("%s %s %s"
                    .formatted(
                            row.group(1),
                            row.group(2),
                            row.group(3).replace("`", "").strip()));
        }
        Set<String> registered = new TreeSet<>();
        try (Shop shop = Shop.open(database, application -> application.sources(Executed.class))) {
            MeterRegistry meters = shop.bean(MeterRegistry.class);
            shop.script().action = (entity, context) -> {
                collect(meters, registered);
                return ActionResult.success();
            };
            shop.send(shop.pack());
            collect(meters, registered);
            SagaHandle printed = shop.bean(Sagas.class).start(Printing.class, "page");
            assertThat(shop.bean(Runs.class).awaitEnd(printed.id(), Duration.ofSeconds(20)))
                    .isTrue();
            registered.addAll(shop.bean(Printing.class).meters);
            collect(meters, registered);
        }

        assertThat(written).isEqualTo(registered);
    }

    static List<MarkedTable> shares() {
        return List.of(
                MarkedTable.of(
                        "claims.md", "saga.transition", "saga.transitions", "saga.janitor", "saga.claims", "saga.due"),
                MarkedTable.of("idempotency.md", "saga.idempotency"),
                MarkedTable.of("leases.md", "saga.leases"),
                MarkedTable.of("runs.md", "saga.runs", "saga.run"),
                MarkedTable.of("queues.md", "saga.queue"),
                MarkedTable.of("sagas.md", "saga.sagas", "saga.step"));
    }

    @ParameterizedTest
    @MethodSource("shares")
    void thePageOfEachCapabilityListsItsMeters(MarkedTable share) throws IOException {
        share.requireIs("meters", HEAD + rows(row -> isOf(row, share.names())));
    }

    @Test
    void everyMeterIsOnThePageOfItsCapability() throws IOException {
        assertThat(rows(row -> shares().stream().noneMatch(share -> isOf(row, share.names()))))
                .isEmpty();
    }

    private static String rows(Predicate<MatchResult> filter) throws IOException {
        return ROW.matcher(Files.readString(PAGE))
                .results()
                .filter(filter)
                .map(row -> row.group() + "\n")
                .collect(Collectors.joining());
    }

    private static boolean isOf(MatchResult row, List<String> meters) {
        String name = row.group(1);
        return meters.stream().anyMatch(meter -> name.equals(meter) || name.startsWith(meter + "."));
    }

    @Test
    void theTableOfEndpointsMatchesTheApplication() throws IOException {
        Set<String> written = new TreeSet<>();
        Matcher row = REQUEST.matcher(Files.readString(ENDPOINTS));
        while (row.find()) {
            written.add("%s %s %s".formatted(row.group(1), row.group(2), row.group(3)));
        }
        Set<String> registered = new TreeSet<>();
        try (Shop shop = Shop.open(
                database,
                application -> application
                        .web(WebApplicationType.SERVLET)
                        .sources(SchedulesEndpointTests.Scheduled.class, DeliveriesEndpointTests.Listening.class),
                Http.ON_ANY_PORT,
                "management.endpoints.web.exposure.include=*",
                "management.endpoints.access.default=unrestricted")) {
            for (ExposableWebEndpoint endpoint :
                    shop.bean(WebEndpointsSupplier.class).getEndpoints()) {
                if (endpoint.getEndpointId().toString().startsWith("saga")) {
                    endpoint.getOperations()
                            .forEach(operation -> registered.add("%s %s %s"
                                    .formatted(
                                            operation.getRequestPredicate().getHttpMethod(),
                                            operation.getRequestPredicate().getPath(),
                                            operation.getType() == OperationType.READ ? "read" : "write")));
                }
            }
        }

        assertThat(written).isEqualTo(registered);
    }

    /** An operator who is woken up at night must not have to search for a name that does not exist. */
    @Test
    void everyNameInTheTableOfSymptomsExists() throws IOException {
        String page = Files.readString(PAGE);
        List<MatchResult> named = Pattern.compile("`([^`]+)`")
                .matcher(page.substring(page.indexOf(SYMPTOMS), page.indexOf("\n\n", page.indexOf(SYMPTOMS))))
                .results()
                .toList();
        assertThat(named).hasSizeGreaterThan(40);
        try (Shop shop = Shop.open(
                database,
                application -> application
                        .web(WebApplicationType.SERVLET)
                        .sources(Executed.class, DeliveriesEndpointTests.Listening.class),
                Http.ON_ANY_PORT,
                "management.endpoints.web.exposure.include=*",
                "management.endpoints.access.default=unrestricted")) {
            Set<String> names = new TreeSet<>(Set.of("problems"));
            shop.bean(MeterRegistry.class)
                    .getMeters()
                    .forEach(meter -> names.add(meter.getId().getName()));
            names.addAll(
                    shop.bean(SagaHealthIndicator.class).health().getDetails().keySet());
            Stream.of(
                            ClaimsEndpoint.Claimed.class,
                            DueEndpoint.Parked.class,
                            DueWork.Parked.class,
                            QueuesEndpoint.Shown.class,
                            RunView.class,
                            RunDetails.class)
                    .flatMap(type -> Stream.of(type.getRecordComponents()))
                    .forEach(component -> names.add(component.getName()));
            names.addAll(properties());
            Set<String> requests = new TreeSet<>();
            for (ExposableWebEndpoint endpoint :
                    shop.bean(WebEndpointsSupplier.class).getEndpoints()) {
                endpoint.getOperations()
                        .forEach(operation -> requests.add("%s /actuator/%s"
                                .formatted(
                                        operation.getRequestPredicate().getHttpMethod(),
                                        operation.getRequestPredicate().getPath())));
            }
            Http http = new Http(shop);
            for (MatchResult each : named) {
                String name = each.group(1);
                if (name.contains(" ")) {
                    assertThat(requests).contains(name.replaceAll("\\?.*", ""));
                    if (name.startsWith("GET ") && !name.contains("{")) {
                        assertThat(http.get(name.substring("GET ".length())).status())
                                .as(name)
                                .isEqualTo(200);
                    }
                } else if (!names.contains(name)) {
                    String path = "/actuator/sagaruns/%s/%s".formatted(RunId.next(), name);
                    assertThat(http.post(path, DECISIONS.getOrDefault(name, "{}"))
                                    .status())
                            .as("decision %s about an unknown run", name)
                            .isEqualTo(404);
                }
            }
        }
    }

    /** Returns the names of all properties in the metadata. */
    private static Set<String> properties() throws IOException {
        try (InputStream metadata = OperationsDocumentTests.class
                .getClassLoader()
                .getResourceAsStream("META-INF/spring-configuration-metadata.json")) {
            Set<String> names = new TreeSet<>();
            JsonMapper.shared()
                    .readTree(Objects.requireNonNull(metadata))
                    .path("properties")
                    .forEach(each -> names.add(each.path("name").asString()));
            return names;
        }
    }

    @Test
    void thePageShowsTheDiagramOfTheEndpoint() throws IOException {
        assertThat(Files.readString(ENDPOINTS)).contains("```mermaid\n" + StateDiagramTests.PARCEL + "```\n");
    }

    @Test
    void thePageFitsIntoAFewScreens() throws IOException {
        assertThat(Files.readAllLines(PAGE)).hasSizeLessThanOrEqualTo(170);
    }

    private static void collect(MeterRegistry meters, Set<String> found) {
        for (Meter meter : meters.getMeters()) {
            String name = meter.getId().getName();
            if (name.startsWith("saga.")) {
                found.add("%s %s %s"
                        .formatted(
                                name,
                                meter.getId()
                                        .getType()
                                        .name()
                                        .toLowerCase(Locale.ROOT)
                                        .replace('_', ' '),
                                meter.getId().getTags().stream()
                                        .map(Tag::getKey)
                                        .collect(Collectors.joining(" "))));
            }
        }
    }
}
