package io.sagaspring.payload;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Classes of stored values. Some of these classes can be read back. */
final class Orders {

    private Orders() {}

    enum Carrier {
        SEA,
        AIR;

        @Override
        public String toString() {
            return "by " + name().toLowerCase(Locale.ROOT);
        }
    }

    record Parts(Optional<String> note, OptionalLong count, Map<Carrier, BigDecimal> prices, char sign, Carrier by) {}

    sealed interface Payment permits Card, Cash {}

    record Card(String number) implements Payment {}

    record Cash() implements Payment {}

    record Order(Payment payment, @Nullable Integer parcels) {}
}
