package com.example.docs.labels;

import org.springframework.stereotype.Component;

/** Stands in for the service that books a courier. */
@Component
class Courier {

    String book(String parcel, String key) {
        return parcel.length() % 2 == 0 ? "dhl" : "ups";
    }
}
