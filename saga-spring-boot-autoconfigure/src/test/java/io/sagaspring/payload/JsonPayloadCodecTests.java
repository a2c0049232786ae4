package io.sagaspring.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonAlias;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Stored values remain readable after the changes to their class that docs/production.md allows. */
class JsonPayloadCodecTests {

    private final JsonPayloadCodec codec = new JsonPayloadCodec(1_000);
    private final byte[] stored = codec.write(new Order("o-1", "sea"));

    record Order(String id, String carrier) {}

    record WithProperty(String id, String carrier, @Nullable Integer parcels) {}

    record WithPrimitive(String id, String carrier, int parcels) {}

    record Without(String id) {}

    record Renamed(String id, @JsonAlias("carrier") String courier) {}

    @Test
    void aPropertyThatWasAddedIsNull() {
        assertThat(codec.read(stored, WithProperty.class)).isEqualTo(new WithProperty("o-1", "sea", null));
    }

    @Test
    void aValueStoredBeforeAPrimitiveWasAddedCannotBeRead() {
        assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> codec.read(stored, WithPrimitive.class));
    }

    @Test
    void aPropertyThatWasRemovedIsIgnored() {
        assertThat(codec.read(stored, Without.class)).isEqualTo(new Without("o-1"));
    }

    @Test
    void anAliasReadsAValueStoredUnderTheOldName() {
        assertThat(codec.read(stored, Renamed.class)).isEqualTo(new Renamed("o-1", "sea"));
    }
}
