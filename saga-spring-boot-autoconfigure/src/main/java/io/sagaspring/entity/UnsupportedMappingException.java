package io.sagaspring.entity;

import java.util.List;

/** Thrown when the mapping of an entity is not fully supported. The exception lists every unsupported part. */
final class UnsupportedMappingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient List<String> sentences;

    UnsupportedMappingException(List<String> sentences) {
        super(String.join("\n", sentences));
        this.sentences = List.copyOf(sentences);
    }

    /** Returns the sentences, at least one. */
    List<String> sentences() {
        return sentences;
    }
}
