package io.sagaspring.payload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.sagaspring.payload.Orders.Card;
import io.sagaspring.payload.Orders.Carrier;
import io.sagaspring.payload.Orders.Order;
import io.sagaspring.payload.Orders.Parts;
import io.sagaspring.payload.Orders.Payment;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.JsonNode;

/** The codec can tell, before it stores a value, whether values of this type can be read back completely. */
class ReadableTypesTests {

    private static final int LARGEST = 1_000_000;

    private final JsonPayloadCodec codec = new JsonPayloadCodec(LARGEST);

    @Test
    void anUnreadableTypeIsDetectedInAdvance() {
        Type payments = new ParameterizedTypeReference<List<Payment>>() {}.getType();

        assertThat(codec.whyUnreadable(Payment.class)).contains(Payment.class.getName());
        assertThat(codec.whyUnreadable(Order.class)).contains(Payment.class.getName());
        assertThat(codec.whyUnreadable(payments)).contains(Payment.class.getName());
        Stream.of(Card.class, String.class, int.class, Void.class, Object.class, JsonNode.class, Map.class, Set.class)
                .forEach(type -> assertThat(codec.whyUnreadable(type)).isNull());
    }

    record Login(String user, @JsonIgnore String password) {}

    record Registration(
            String user,

            @JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
            String password) {}

    record Receipt(List<Optional<Login>> logins) {}

    static class Numbered {
        @JsonProperty(access = JsonProperty.Access.READ_ONLY)
        private String number = "";

        private String text = "";

        public String getNumber() {
            return number;
        }

        public String getText() {
            return text;
        }

        public void setText(String text) {
            this.text = text;
        }
    }

    static class Filled {
        private final List<String> lines = new ArrayList<>();

        public List<String> getLines() {
            return lines;
        }
    }

    @JsonIgnoreProperties("secret")
    static class Hidden extends Numbered {
        public String secret = "";
    }

    @ParameterizedTest
    @ValueSource(classes = {Login.class, Registration.class, Receipt.class, Numbered.class, Filled.class, Hidden.class})
    void aTypeThatWouldLoseAPartIsDetectedInAdvance(Class<?> type) {
        assertThat(codec.whyUnreadable(type)).contains("would be lost");
    }

    record Box(int width, int height) {
        @JsonIgnore
        public int area() {
            return width * height;
        }

        @JsonProperty
        public String getLabel() {
            return width + "x" + height;
        }
    }

    static class Cached {
        private transient int hash;
        private String text = "";

        @JsonIgnore
        public boolean isBlank() {
            return text.isBlank() && hash == 0;
        }

        public String getText() {
            return text;
        }

        public void setText(String text) {
            this.text = text;
        }

        /** Accepts the earlier name of the property. */
        public void setNote(String note) {
            this.text = note;
        }
    }

    static class Sum {
        private final int left;
        private final int total;

        @JsonCreator
        Sum(@JsonProperty("left") int left) {
            this.left = left;
            this.total = left + 1;
        }

        public int getLeft() {
            return left;
        }

        public int getTotal() {
            return total;
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
    interface Shape {}

    record Circle(int radius) implements Shape {}

    record Drawing(Shape first, List<Shape> more, Map<String, Shape> named, Optional<Shape> last, Object any) {}

    record Node(String name, List<Node> children) {}

    static class Open {
        private final Map<String, Object> more = new HashMap<>();

        @JsonAnyGetter
        public Map<String, Object> getMore() {
            return more;
        }

        @JsonAnySetter
        public void setMore(String name, Object value) {
            more.put(name, value);
        }
    }

    static class Flat {
        @JsonUnwrapped
        public Box box = new Box(1, 2);
    }

    static class Amount {
        private final Map<String, Integer> cents;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Amount(Map<String, Integer> cents) {
            this.cents = cents;
        }

        public Map<String, Integer> getCents() {
            return cents;
        }
    }

    static class Basket {
        @JsonManagedReference
        public List<Item> items = new ArrayList<>();
    }

    static class Item {
        @JsonBackReference
        public @Nullable Basket basket;

        public String name = "";
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Box.class,
                Cached.class,
                Sum.class,
                Shape.class,
                Drawing.class,
                Node.class,
                Open.class,
                Flat.class,
                Amount.class,
                Basket.class,
                Item.class,
                Parts.class,
                IllegalStateException.class,
                Carrier.class
            })
    void aTypeThatIsStoredCompletelyIsAccepted(Class<?> type) {
        assertThat(codec.whyUnreadable(type)).isNull();
    }
}
