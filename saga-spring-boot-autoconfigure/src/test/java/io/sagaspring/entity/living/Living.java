package io.sagaspring.entity.living;

import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An entity whose status is in {@link Span}. It accepts a note through {@code Consumer}, because a test cannot cast an
 * object of the enhanced class, which another class loader loads, to this class.
 */
@Entity
public class Living implements Consumer<String> {

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

    /** Sets the note and also the memo, which is not stored. An empty note removes the span. */
    @Override
    public void accept(String note) {
        if (note.isEmpty() || span == null) {
            span = null;
        } else {
            span.note = note;
            span.memo = note;
        }
    }

    public String memo() {
        return span == null ? "" : span.memo;
    }
}
