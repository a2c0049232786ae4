package io.sagaspring.dashboard;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Replaces each value of a JSON document by its type. The names of members and the lengths of arrays remain. */
final class Redaction {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Redaction() {}

    static JsonNode of(JsonNode value) {
        if (value.isObject()) {
            ObjectNode redacted = NODES.objectNode();
            value.forEachEntry((name, member) -> redacted.set(name, of(member)));
            return redacted;
        }
        if (value.isArray()) {
            ArrayNode redacted = NODES.arrayNode();
            value.forEach(each -> redacted.add(of(each)));
            return redacted;
        }
        if (value.isNull()) {
            return value;
        }
        return NODES.stringNode(value.isNumber() ? "(number)" : value.isBoolean() ? "(boolean)" : "(text)");
    }
}
