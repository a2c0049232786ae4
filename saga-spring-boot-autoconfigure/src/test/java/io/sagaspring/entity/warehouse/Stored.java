package io.sagaspring.entity.warehouse;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

/** An entity in the schema that comes first in the search path of the connections of its persistence unit. */
@Entity
@Table(name = "parcel")
public class Stored {

    @Id
    Long id = 0L;

    String status = "PACKED";

    String note = "";

    @Version
    long version;
}
