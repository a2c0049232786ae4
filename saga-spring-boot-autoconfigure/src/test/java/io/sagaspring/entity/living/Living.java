package io.sagaspring.entity.living;

import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The entity. It takes a note and returns the memo, because tests of enhanced classes cannot name this class. */
@Entity
public class Living implements UnaryOperator<@Nullable String> {

    @Id
    Long id = 0L;

    @Embedded
    @Nullable
    Span span = new Span();

    @Version
    long version;

    protected Living() {}

    public Living(Long id) {
        this.id = id;
    }

    /** Writes a note, which is also a memo that is not stored. Without a note, forgets the span. */
    @Override
    public @Nullable String apply(@Nullable String note) {
        if (note == null || span == null) {
            span = null;
            return null;
        }
        String memo = span.memo;
        span.note = note;
        span.memo = note;
        return memo;
    }
}
