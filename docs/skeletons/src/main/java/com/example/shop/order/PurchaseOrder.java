package com.example.shop.order;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;

@Entity
class PurchaseOrder {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private @Nullable Long id;

    @Enumerated(EnumType.STRING)
    private OrderStatus status = OrderStatus.PLACED;

    @Version
    private long version;

    private @Nullable String parcel;

    void sentAs(String parcel) {
        this.parcel = parcel;
    }

    @Nullable
    Long id() {
        return id;
    }

    OrderStatus status() {
        return status;
    }

    @Nullable
    String parcel() {
        return parcel;
    }
}
