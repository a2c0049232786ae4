package com.example.docs.sagas;

/** The services that the saga of the page calls. Each of them honours the effect key. */
interface World {

    interface Payments {
        String charge(Order order, String key);

        void refund(String keyOfCharge, String key);
    }

    interface Courier {
        String ship(Order order, String execution, String callbackToken, String key);

        void cancel(String keyOfShipment, String key);
    }

    interface Mailer {
        String receipt(Order order, String key);
    }
}
