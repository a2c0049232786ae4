package io.sagaspring.entity;

import java.util.List;

/** An entity is mapped in a way that is not fully supported. It names everything that stands in the way. */
final class UnsupportedMappingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> sentences;

    UnsupportedMappingException(List<String> sentences) {
        super(String.join("\n", sentences));
        this.sentences = List.copyOf(sentences);
    }

    /** At least one. */
    List<String> sentences() {
        return sentences;
    }
}
