package io.sagaspring.entity.warehouse;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

/**
 * An entity in a table of the first persistence unit. The mappings of the two units spell the table's name differently.
 */
@Entity
@Table(name = "\"parcel\"", schema = "public")
public class Shelved {

    @Id
    Long id = 0L;

    String status = "PACKED";

    String note = "";

    @Version
    long version;
}
