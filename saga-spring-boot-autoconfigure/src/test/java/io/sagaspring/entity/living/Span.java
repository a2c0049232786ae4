package io.sagaspring.entity.living;

import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Transient;
import org.jspecify.annotations.Nullable;

/** The embeddable that contains the status. The database pads the status with blanks. */
@Embeddable
public class Span {

    @Column(columnDefinition = "char(8)")
    @Convert(converter = PhaseConverter.class)
    @Nullable
    Phase phase = Phase.OPEN;

    @Nullable
    String note = "";

    @Transient
    String memo = "";
}
