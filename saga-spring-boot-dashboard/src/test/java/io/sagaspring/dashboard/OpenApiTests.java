package io.sagaspring.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.fence.OwnTransactions;
import io.sagaspring.run.RunId;
import io.sagaspring.run.RunState;
import io.sagaspring.run.Runs;
import io.sagaspring.test.database.TestDatabase;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares the description of the API with the API. */
class OpenApiTests {

    /** Addresses that are no lists and no objects of the application. */
    private static final List<String> MORE = List.of("openapi.json", "me", "payloads", "operations");

    private static TestDatabase database;
    private static DashboardApp app;
    private static JsonNode description;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        app = DashboardApp.withoutSecurity(
                database, "saga.dashboard.access=unrestricted", "saga.dashboard.payloads=shown");
        description = app.read("/saga/api/openapi.json");
    }

    @AfterAll
    static void close() {
        app.close();
        database.close();
    }

    private static JsonNode operation(String address) {
        return description.path("paths").path("/" + address).path("get");
    }

    private static Set<String> names(JsonNode found, String member) {
        Set<String> names = new TreeSet<>();
        found.forEach(each -> names.add(each.path(member).asString()));
        return names;
    }

    /** Follows a reference within the description. */
    private static JsonNode resolved(JsonNode node) {
        String reference = node.path("$ref").asString("");
        return reference.isEmpty() ? node : description.at(reference.substring(1));
    }

    private static Set<String> members(JsonNode schema) {
        JsonNode found = resolved(schema);
        Set<String> members = new TreeSet<>(found.path("properties").propertyNames());
        found.path("allOf").forEach(each -> members.addAll(members(each)));
        return members;
    }

    @Test
    void eachAddressAndEachParameterIsDescribedAndNoOther() {
        DashboardApi api = new DashboardApi(
                app.sources(),
                app.bean(OwnTransactions.class),
                new DashboardSettings(
                        DashboardAccess.UNRESTRICTED, "/saga", PayloadVisibility.SHOWN, Duration.ofSeconds(1)),
                app.bean(BacklogHistory.class));
        List<String> described = new ArrayList<>();
        description.path("paths").propertyNames().forEach(each -> described.add(each.substring(1)));

        List<String> addresses = new ArrayList<>(api.addresses().keySet());
        addresses.addAll(MORE);
        assertThat(described).containsExactlyInAnyOrderElementsOf(addresses);
        api.addresses()
                .forEach((address, parameters) -> assertThat(
                                names(operation(address).path("parameters"), "name"))
                        .as(address)
                        .isEqualTo(new TreeSet<>(parameters)));
    }

    @Test
    void eachOperationIsDescribedAndNoOther() {
        JsonNode content = description.at("/paths/~1operations/post/requestBody/content/application~1json");
        Set<String> operations = new TreeSet<>(new Operating(app.sources()).names());

        assertThat(names(content.at("/schema/oneOf"), "title")).isEqualTo(operations);
        assertThat(new TreeSet<>(content.path("examples").propertyNames())).isEqualTo(operations);
        content.at("/schema/oneOf").forEach(each -> {
            String title = each.path("title").asString();
            JsonNode example = content.path("examples").path(title).path("value");
            assertThat(each.at("/properties/operation/const").asString()).isEqualTo(title);
            assertThat(each.path("properties").propertyNames()).containsAll(example.propertyNames());
        });
    }

    /** The objects of the examples do not exist. But each request has the fields and the values that it needs. */
    @Test
    void eachExampleIsAnAcceptableRequest() {
        JsonNode examples = description.at("/paths/~1operations/post/requestBody/content/application~1json/examples");

        examples.forEach(each -> {
            HttpResponse<String> response =
                    app.post("/saga/api/operations", each.path("value").toString(), "X-Saga-Dashboard", "1");
            assertThat(response.body()).doesNotContain("missing", "cannot be read", "is unknown. Use");
        });
        assertThat(examples).hasSizeGreaterThan(15);
    }

    @Test
    void eachAnswerHasTheMembersOfItsDescription() {
        RunId id = app.bean(Runs.class).start(DashboardApp.Charge.class, "card").id();
        app.awaitState(id, RunState.WAITING);
        Map<String, String> needed = Map.of(
                "run",
                "?id=" + id,
                "payloads",
                "?id=" + id,
                "entity",
                "?workflow=none&id=1",
                "bulk",
                "?operation=bulk.cancel&state=waiting");
        for (String address : description.path("paths").propertyNames()) {
            String name = address.substring(1);
            if (!List.of("openapi.json", "operations").contains(name)) {
                JsonNode schema = operation(name).at("/responses/200/content/application~1json/schema");
                HttpResponse<String> response = app.get("/saga/api/" + name + needed.getOrDefault(name, ""));

                assertThat(response.statusCode()).as(name).isIn(200, 404);
                JsonNode answer = JsonMapper.shared().readTree(response.body());
                if (response.statusCode() == 200) {
                    assertThat(members(schema)).as(name).isEqualTo(new TreeSet<>(answer.propertyNames()));
                    JsonNode items = resolved(schema.at("/allOf/0")).at("/properties/items/items");
                    answer.path("items")
                            .forEach(item -> assertThat(members(items))
                                    .as("items of " + name)
                                    .isSubsetOf(item.propertyNames()));
                }
            }
        }
    }

    @Test
    void itIsNoFileOfThePageAndHasNoParameters() {
        assertThat(app.get("/saga/saga-dashboard-openapi.json").statusCode()).isEqualTo(404);
        assertThat(app.get("/saga/openapi.json").statusCode()).isEqualTo(404);
        assertThat(app.get("/saga/api/openapi.json?x=1").statusCode()).isEqualTo(400);
        HttpResponse<String> first = app.get("/saga/api/openapi.json");
        assertThat(app.get(
                                "/saga/api/openapi.json",
                                "If-None-Match",
                                String.valueOf(DashboardApp.header(first, "ETag")))
                        .statusCode())
                .isEqualTo(304);
    }
}
