package io.sagaspring.entity.second;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import java.util.function.Consumer;

/**
 * The entity of the second persistence unit. It accepts a note through {@code Consumer}, because a test cannot cast an
 * object of the enhanced class, which another class loader loads, to this class.
 */
@Entity
public class Errand implements Consumer<String> {

    public enum State {
        OPEN,
        CLOSING,
        CLOSED
    }

    @Id
    Long id = 0L;

    @Enumerated(EnumType.STRING)
    State status = State.OPEN;

    String note = "";

    @Version
    long version;

    protected Errand() {}

    public Errand(Long id) {
        this.id = id;
    }

    @Override
    public void accept(String text) {
        note = text;
    }
}
