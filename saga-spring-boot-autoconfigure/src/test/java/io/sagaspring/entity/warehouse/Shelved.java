package io.sagaspring.entity.warehouse;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

/** Lies in the very table of the first unit, and spells its name otherwise. */
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
