package io.sagaspring.entity.equalless;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;

/** An entity that JPA treats as changed as soon as it is loaded. */
@Entity
public class Labelled {

    @Id
    public Long id = 0L;

    @Convert(converter = Label.Converter.class)
    public Label label = new Label("new");

    @JdbcTypeCode(SqlTypes.JSON)
    public Tags tags = new Tags();

    /** A value that is stored as a string. */
    public static class Label {

        public String text;

        public Label(String text) {
            this.text = text;
        }

        /** Converts a label to a string and back. */
        public static class Converter implements AttributeConverter<Label, String> {

            @Override
            public String convertToDatabaseColumn(Label label) {
                return label.text;
            }

            @Override
            public Label convertToEntityAttribute(String text) {
                return new Label(text);
            }
        }
    }

    /** A value that is stored as JSON. */
    public static class Tags {

        public String first = "a";
    }
}
