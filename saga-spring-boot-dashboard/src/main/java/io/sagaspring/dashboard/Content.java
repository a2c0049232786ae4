package io.sagaspring.dashboard;

/** The body of an answer, with its type and its entity tag. */
final class Content {

    private final String type;
    private final byte[] body;
    private final String tag;

    Content(String type, byte[] body, String tag) {
        this.type = type;
        this.body = body;
        this.tag = tag;
    }

    String type() {
        return type;
    }

    byte[] body() {
        return body;
    }

    String tag() {
        return tag;
    }
}
